//go:build linux

package fusetest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/dirlock"
	"github.com/aac6cccc/mkdirlock/fusetest/faultfs"
)

// roleVar makes a process another one that uses locks: it answers each line on stdin by one on stdout.
const roleVar = "FUSETEST_ROLE"

// secondMain is the second process: it serves the words of a [second].
func secondMain() {
	if os.Getenv(roleVar) == "" {
		return
	}
	var s serving
	var mu sync.Mutex
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		words := strings.Fields(lines.Text())
		do := map[string]func([]string) string{"hold": s.hold, "check": s.check, "release": s.release, "contend": contend}[words[0]]
		go func() {
			answer := do(words[1:])
			mu.Lock()
			defer mu.Unlock()
			fmt.Println(words[1], strings.ReplaceAll(answer, "\n", "; "))
		}()
	}
	os.Exit(0)
}

// A second is another process.
type second struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.Writer

	mu      sync.Mutex
	answers map[string]chan string // by what was asked about
}

// another starts another process. It ends with the test.
func another(t *testing.T) *second {
	t.Helper()
	needMounts(t)
	s := &second{t: t, cmd: exec.Command("/proc/self/exe"), answers: map[string]chan string{}}
	s.cmd.Env = append(os.Environ(), roleVar+"=1")
	s.cmd.Stderr = os.Stderr
	in, err := s.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.in = in
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := faultfs.Bound(s.cmd, syscall.SysProcAttr{}); err != nil {
		t.Fatal(err)
	}
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			about, answer, _ := strings.Cut(lines.Text(), " ")
			s.mu.Lock()
			s.answers[about] <- answer
			s.mu.Unlock()
		}
	}()
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
	})
	return s
}

// tell asks for something, and returns the answer's channel. One question about one thing at a time.
func (s *second) tell(verb, about string, more ...string) <-chan string {
	answer := make(chan string, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[about] = answer
	if _, err := fmt.Fprintln(s.in, verb, about, strings.Join(more, " ")); err != nil {
		answer <- err.Error()
	}
	return answer
}

// ask asks and waits.
func (s *second) ask(limit time.Duration, verb, about string, more ...string) string {
	s.t.Helper()
	select {
	case answer := <-s.tell(verb, about, more...):
		return answer
	case <-time.After(limit):
		s.t.Fatalf("no answer to %s for %v", verb, limit)
		return ""
	}
}

// serving is what a second process has.
type serving struct {
	locks                 []*dirlock.Lock
	goroutines, threadsOf int
}

// hold takes so many locks below a directory.
func (s *serving) hold(words []string) string {
	n := 0
	_, _ = fmt.Sscan(words[1], &n)
	s.goroutines, s.threadsOf = runtime.NumGoroutine(), countThreads()
	s.locks = make([]*dirlock.Lock, n)
	return s.each(16, func(i int) error {
		m := patient
		m.Path, m.Wait = fmt.Sprint(words[0], "/lock", i), time.Minute
		var err error
		s.locks[i], err = m.Acquire(context.Background())
		return err
	})
}

// each does something for each lock, so many at a time, and says what went wrong.
func (s *serving) each(atATime int, f func(i int) error) string {
	var all sync.WaitGroup
	var mu sync.Mutex
	var bad error
	next := make(chan int)
	for range atATime {
		all.Go(func() {
			for i := range next {
				if err := f(i); err != nil {
					mu.Lock()
					bad = err
					mu.Unlock()
				}
			}
		})
	}
	for i := range s.locks {
		next <- i
	}
	close(next)
	all.Wait()
	if bad != nil {
		return bad.Error()
	}
	return "ok"
}

// check waits until of each lock it is known what became of it: "held lost unknown threads hanging".
func (s *serving) check([]string) string {
	var mu sync.Mutex
	var kept, lost, unknown int
	s.each(16, func(i int) error {
		err := s.locks[i].Check()
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err == nil:
			kept++
		case errors.Is(err, dirlock.ErrLost):
			lost++
		default:
			unknown++
		}
		return nil
	})
	return fmt.Sprint(kept, lost, unknown, " ", countThreads()-s.threadsOf, hanging())
}

// release releases all, and waits until no goroutine is left: "ok", or what is wrong.
func (s *serving) release([]string) string {
	if bad := s.each(16, func(i int) error {
		err := s.locks[i].Release()
		if errors.Is(err, dirlock.ErrLost) {
			return nil
		}
		return err
	}); bad != "ok" {
		return bad
	}
	for range 3000 { // 30 s
		if runtime.NumGoroutine() <= s.goroutines {
			return "ok"
		}
		time.Sleep(10 * time.Millisecond)
	}
	return fmt.Sprint(runtime.NumGoroutine(), " goroutines, were ", s.goroutines)
}
