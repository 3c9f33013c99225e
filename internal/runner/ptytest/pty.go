//go:build linux

// Package ptytest gives tests a terminal to type on.
package ptytest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Patience is how long anything expected may take on a busy machine.
const Patience = 30 * time.Second

// Terminal is a pseudo-terminal, seen from the keyboard's and the screen's side.
type Terminal struct {
	t      testing.TB
	master *os.File
	slave  *os.File
	dir    string // of what was started

	mu     sync.Mutex
	screen bytes.Buffer // what has been shown
	seen   int          // how much of it Expect has consumed
}

// Open makes a terminal, which echoes nothing, so that what is on the screen was written by programs.
func Open(t testing.TB) *Terminal {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	number, err := with(master, func(fd int) (int, error) {
		if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
			return 0, err
		}
		return unix.IoctlGetInt(fd, unix.TIOCGPTN)
	})
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	p := &Terminal{t: t, master: master, slave: slave}
	p.mode(func(m *unix.Termios) {
		m.Lflag &^= unix.ECHO
		// The driver drops output when a key makes a signal, after it was sent: at times also the answer to it.
		m.Lflag |= unix.NOFLSH
	})
	var reader sync.WaitGroup
	reader.Go(p.read)
	t.Cleanup(func() {
		slave.Close()
		master.Close()
		reader.Wait()
		if t.Failed() {
			t.Logf("the screen:\n%s", p.Screen())
		}
	})
	return p
}

func with[T any](f *os.File, do func(fd int) (T, error)) (v T, err error) {
	c, err := f.SyscallConn()
	if err != nil {
		return v, err
	}
	var inner error
	err = c.Control(func(fd uintptr) { v, inner = do(int(fd)) })
	if err == nil {
		err = inner
	}
	return v, err
}

func (p *Terminal) mode(change func(*unix.Termios)) {
	p.t.Helper()
	_, err := with(p.slave, func(fd int) (int, error) {
		m, err := unix.IoctlGetTermios(fd, unix.TCGETS)
		if err != nil {
			return 0, err
		}
		change(m)
		return 0, unix.IoctlSetTermios(fd, unix.TCSETS, m)
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

// StopWriters is "stty tostop": who writes from the background is stopped.
func (p *Terminal) StopWriters() { p.mode(func(m *unix.Termios) { m.Lflag |= unix.TOSTOP }) }

func (p *Terminal) read() {
	buf := make([]byte, 4096)
	for {
		n, err := p.master.Read(buf)
		p.mu.Lock()
		p.screen.Write(buf[:n])
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// Start starts cmd in a session of its own whose controlling terminal this is. It is killed with the test.
func (p *Terminal) Start(cmd *exec.Cmd) {
	p.t.Helper()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.slave, p.slave, p.slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.dir = cmd.Dir
	p.t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
}

// Dir is the working directory of what was started.
func (p *Terminal) Dir() string { return p.dir }

// Type types.
func (p *Terminal) Type(keys string) {
	p.t.Helper()
	if _, err := p.master.WriteString(keys); err != nil {
		p.t.Fatal(err)
	}
}

// Resize changes the window's size.
func (p *Terminal) Resize(rows, cols uint16) {
	p.t.Helper()
	_, err := with(p.master, func(fd int) (int, error) {
		return 0, unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: cols})
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

// Foreground returns the terminal's foreground process group.
func (p *Terminal) Foreground() int {
	p.t.Helper()
	pgrp, err := with(p.master, func(fd int) (int, error) { return unix.IoctlGetInt(fd, unix.TIOCGPGRP) })
	if err != nil {
		p.t.Fatal(err)
	}
	return pgrp
}

// Screen returns all that has been shown, with plain line ends.
func (p *Terminal) Screen() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return plain(p.screen.Bytes())
}

// Expect waits until something that matches the expression is shown after what earlier calls have matched, and returns
// the match and its groups.
func (p *Terminal) Expect(expr string) []string {
	p.t.Helper()
	re := regexp.MustCompile(expr)
	for deadline := time.Now().Add(Patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if m := p.match(re); m != nil {
			return m
		}
	}
	p.t.Fatalf("the terminal did not show %q; unread: %q", expr, p.Screen()[p.seen:])
	return nil
}

func (p *Terminal) match(re *regexp.Regexp) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := plain(p.screen.Bytes())
	loc := re.FindStringIndex(text[p.seen:])
	if loc == nil {
		return nil
	}
	m := re.FindStringSubmatch(text[p.seen:])
	p.seen += loc[1]
	return m
}

// plain drops the terminal's carriage returns, so that "\n" and "$" mean the end of a line.
func plain(b []byte) string { return strings.ReplaceAll(string(b), "\r", "") }
