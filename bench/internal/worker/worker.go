// Package worker starts the programs under test, talks with them, and ends them.
package worker

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aac6cccc/mkdirlock/bench/kit"
)

// A Worker is one running program; its standard output arrives in lines.
type Worker struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	errlog io.Writer
	lines  chan string // closed at the end of the output
	exited chan struct{}
}

var live struct {
	sync.Mutex
	all map[*Worker]bool
}

// Start starts a program with additional environment. What it writes to standard error goes to errlog.
func Start(argv, env []string, errlog *os.File) (*Worker, error) {
	w := &Worker{cmd: exec.Command(argv[0], argv[1:]...), errlog: errlog, lines: make(chan string, 64), exited: make(chan struct{})}
	w.cmd.Env = append(os.Environ(), env...)
	w.cmd.Stderr = errlog
	in, err := w.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	w.in = in
	// Not StdoutPipe: Wait would close it under the lines that are not read yet.
	out, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	w.cmd.Stdout = theirs
	err = spawn(w.cmd)
	theirs.Close()
	if err != nil {
		out.Close()
		return nil, err
	}
	live.Lock()
	if live.all == nil {
		live.all = map[*Worker]bool{}
	}
	live.all[w] = true
	live.Unlock()
	go w.read(out)
	go w.reap()
	return w, nil
}

func (w *Worker) read(out *os.File) {
	s := bufio.NewScanner(out)
	for s.Scan() {
		w.lines <- s.Text()
	}
	out.Close()
	close(w.lines)
}

// reap waits for the end at once: a waiter may ask the kernel for the holder, and a zombie is still there.
func (w *Worker) reap() {
	w.cmd.Wait() // how it ended is of no interest: it is killed as often as not
	live.Lock()
	delete(live.all, w)
	live.Unlock()
	close(w.exited)
}

// Pid is the worker's process.
func (w *Worker) Pid() int { return w.cmd.Process.Pid }

// Why there is no line.
var (
	ErrEnd  = errors.New("the worker's output has ended")
	ErrLate = errors.New("the worker has said nothing in time")
)

// Line returns the worker's next line, or ErrEnd or ErrLate. A line that is there already wins over a limit that has passed.
func (w *Worker) Line(limit time.Duration) (string, error) {
	got := func(l string, open bool) (string, error) {
		if !open {
			return "", ErrEnd
		}
		return l, nil
	}
	select {
	case l, open := <-w.lines:
		return got(l, open)
	default:
	}
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case l, open := <-w.lines:
		return got(l, open)
	case <-late.C:
		return "", ErrLate
	}
}

// Expect reads on to the line "WORD NUMBER". An ERR line is an error that carries its text.
func (w *Worker) Expect(word string, limit time.Duration) (int64, error) {
	end := time.Now().Add(limit)
	for {
		line, err := w.Line(time.Until(end))
		if err != nil {
			return 0, fmt.Errorf("waiting for %s: %w", word, err)
		}
		first, rest, _ := strings.Cut(line, " ")
		switch first {
		case word:
			if rest == "" {
				return 0, nil
			}
			return strconv.ParseInt(rest, 10, 64)
		case "ERR":
			return 0, errors.New(rest)
		case "DONE":
		default:
			fmt.Fprintf(w.errlog, "%s, of which %s was expected, said: %s\n", w.cmd.Args, word, line)
		}
	}
}

// Send writes one line to the worker's standard input. One that has died will be missed where its answer is expected.
func (w *Worker) Send(line string) { fmt.Fprintln(w.in, line) }

// Kill ends the worker and its children by their pids, reaps it, and says when the signal was sent.
func (w *Worker) Kill() int64 {
	children := Tree(w.Pid())[1:]
	t := kit.Now()
	w.cmd.Process.Kill() // an error means that it has ended
	for _, pid := range children {
		kill(pid)
	}
	<-w.exited
	go w.drain()
	return t
}

// Finish lets the worker end by itself, and kills it if it does not.
func (w *Worker) Finish() {
	w.in.Close()
	go w.drain()
	late := time.NewTimer(2 * time.Second)
	defer late.Stop()
	select {
	case <-w.exited:
	case <-late.C:
		w.Kill()
	}
}

// drain lets a worker that has more to say get to its end.
func (w *Worker) drain() {
	for range w.lines {
	}
}

// KillAll ends all workers that are still there; for a driver that was told to stop.
func KillAll() {
	live.Lock()
	var all []*Worker
	for w := range live.all {
		all = append(all, w)
	}
	live.Unlock()
	for _, w := range all {
		w.Kill()
	}
}
