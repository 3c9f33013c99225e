package proctest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/aac6cccc/mkdirlock/dirlock"
)

// Main serves words and does not return if this process was started by Start. TestMain calls it first.
func Main() {
	text, ok := os.LookupEnv(Variable)
	if !ok {
		return
	}
	os.Unsetenv(Variable) // what a child starts is not a child
	c := &child{out: os.Stdout}
	if err := json.Unmarshal([]byte(text), &c.cfg); err != nil {
		fmt.Fprintln(os.Stderr, "proctest:", err)
		os.Exit(2)
	}
	c.serve(os.Stdin)
	os.Exit(0)
}

type child struct {
	cfg  Config
	mu   sync.Mutex // of out
	out  io.Writer
	lock *dirlock.Lock
	took []io.Closer // by openall

	inside   *witness
	insideMu sync.Mutex
}

func (c *child) say(format string, args ...any) {
	text := strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " / ")
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprintln(c.out, text)
}

func (c *child) serve(in io.Reader) {
	c.say("PID %d", os.Getpid())
	words := make(chan string)
	go func() {
		defer os.Exit(0) // the test is gone: whatever goes on here, nobody wants it any more
		for lines := bufio.NewScanner(in); lines.Scan(); {
			words <- lines.Text()
		}
	}()
	for line := range words {
		c.do(strings.Fields(line))
	}
}

// acquired turns the outcome of an acquisition into an answer, and enters.
func (c *child) acquired(lock *dirlock.Lock, err error) string {
	switch {
	case errors.Is(err, dirlock.ErrHeld):
		return "HELD " + err.Error()
	case err != nil:
		return "ERR " + err.Error()
	}
	w, err := enter(c.cfg.Witness, c.cfg.ID)
	if err != nil {
		return "TWO " + err.Error()
	}
	c.insideMu.Lock()
	c.inside = w
	c.insideMu.Unlock()
	c.lock = lock
	context.AfterFunc(lock.Context(), func() {
		if cause := context.Cause(lock.Context()); !errors.Is(cause, dirlock.ErrReleased) {
			if err := c.leave(w); err != nil {
				c.say("TWO on loss: %v", err)
			}
			c.say("* LOST %v", cause)
		}
	})
	return "ACQ " + lock.Stamp().Name()
}

// leave takes the witness away, once: w may have been left already, by the loss of its lock.
func (c *child) leave(w *witness) error {
	c.insideMu.Lock()
	defer c.insideMu.Unlock()
	if w == nil || c.inside != w {
		return nil
	}
	c.inside = nil
	return w.leave()
}

func (c *child) released() string {
	c.insideMu.Lock()
	w := c.inside
	c.insideMu.Unlock()
	if err := c.leave(w); err != nil {
		return "TWO " + err.Error()
	}
	switch err := c.lock.Release(); {
	case err == nil:
		return "REL"
	case errors.Is(err, dirlock.ErrLost):
		return "LOST " + err.Error()
	default:
		return "ERR " + err.Error()
	}
}

// turn is one whole use of the lock. It answers "" if all went well.
func (c *child) turn(m *dirlock.Mutex, hold time.Duration) (waited time.Duration, wrong string) {
	begin := time.Now()
	answer := c.acquired(m.Acquire(context.Background()))
	waited = time.Since(begin)
	if !strings.HasPrefix(answer, "ACQ") {
		return waited, answer
	}
	time.Sleep(hold)
	if answer := c.released(); answer != "REL" {
		return waited, answer
	}
	return waited, ""
}
