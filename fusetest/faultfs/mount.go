//go:build linux

package faultfs

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
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// serveVar makes a program that calls [Main] a server: its value is a directory and a mount point, divided by a newline.
const serveVar = "FAULTFS_SERVE"

// Main serves a mount instead of returning, if [Start] began this process for that. Programs that call Start call Main first.
func Main() {
	dir, point, ok := strings.Cut(os.Getenv(serveVar), "\n")
	if !ok {
		return
	}
	s, err := Serve(dir, point)
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	fmt.Println("ok")
	s.Control(os.Stdin, os.Stdout)
	_ = s.Close()
	os.Exit(0) // and with it, the connection: whoever hangs in it gets an error
}

// A Mount is one that a child process serves.
type Mount struct {
	Dir   string // what it mirrors; free of faults
	Point string // where it is

	mu      sync.Mutex
	in      io.WriteCloser
	out     *bufio.Reader
	process *exec.Cmd
	closed  bool
}

// Start mounts a mirror of dir at point, in the caller's mount namespace. The caller must close it.
func Start(dir, point string, rules ...Rule) (*Mount, error) {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), serveVar+"="+dir+"\n"+point)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := Bound(cmd, syscall.SysProcAttr{}); err != nil {
		return nil, err
	}
	m := &Mount{Dir: dir, Point: point, in: in, out: bufio.NewReader(out), process: cmd}
	if _, err := m.answer(); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	for _, r := range rules {
		if _, err := m.Add(r); err != nil {
			return nil, errors.Join(err, m.Close())
		}
	}
	return m, nil
}

// Add adds a rule and returns its number.
func (m *Mount) Add(r Rule) (int, error) { return m.number("add " + r.String()) }

// Remove ends a rule; what it stalls goes on.
func (m *Mount) Remove(id int) error { return m.tell("remove " + strconv.Itoa(id)) }

// Heal ends all rules; what is stalled goes on.
func (m *Mount) Heal() error { return m.tell("heal") }

// Fired is how many calls met a rule so far, and which was the last: "mkdir lock", say.
func (m *Mount) Fired(id int) (n int, last string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	answer, err := m.ask("fired " + strconv.Itoa(id))
	if err != nil {
		return 0, "", err
	}
	count, last, _ := strings.Cut(answer, " ")
	n, err = strconv.Atoi(count)
	return n, last, err
}

// Stuck is how many calls are stalled now in the server. Others may wait for those in the kernel, for a directory's mutex.
func (m *Mount) Stuck() (int, error) { return m.number("stuck") }

func (m *Mount) tell(line string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, err := m.ask(line)
	return err
}

func (m *Mount) number(line string) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	answer, err := m.ask(line)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(answer)
}

func (m *Mount) ask(line string) (string, error) {
	if _, err := fmt.Fprintln(m.in, line); err != nil {
		return "", err
	}
	return m.answer()
}

func (m *Mount) answer() (string, error) {
	line, err := m.out.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("faultfs: the server of %s has ended: %w", m.Point, err)
	}
	answer, ok := strings.CutPrefix(strings.TrimSpace(line), "ok")
	if !ok {
		return "", errors.New(strings.TrimPrefix(strings.TrimSpace(line), "error: "))
	}
	return strings.TrimSpace(answer), nil
}

// Close ends the mount, whatever hangs in it: what is stalled goes on, the mount is detached, and then the server is killed, by which the
// kernel ends the connection, and with an error each call that is still in it.
func (m *Mount) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil
	}
	m.closed = true
	_, herr := m.ask("heal")
	last := time.AfterFunc(5*time.Second, func() { abort(m.Point) }) // should the next call hang after all
	defer last.Stop()
	err := unix.Unmount(m.Point, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW)
	if herr != nil && err == unix.EINVAL {
		err = nil // it never came to be
	}
	_ = m.process.Process.Kill()
	_ = m.process.Wait()
	return err
}

// abort ends the connection of the mount at point by the kernel's own switch, if that is there.
func abort(point string) {
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return
	}
	for line := range strings.Lines(string(table)) {
		if f := strings.Fields(line); len(f) > 4 && f[4] == point {
			_, minor, _ := strings.Cut(f[2], ":")
			_ = os.WriteFile("/sys/fs/fuse/connections/"+minor+"/abort", []byte("1"), 0)
		}
	}
}
