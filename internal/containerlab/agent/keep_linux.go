package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/internal/containerlab/wire"
)

// keep makes a lab and stays beside it, outside, for what no namespace takes along: cgroups and a directory. Its standard input is a
// pipe whose other end the test's process has, and which the kernel closes whatever becomes of the test.
func keep(text string) (err error) {
	var cfg wire.Config
	if err := json.Unmarshal([]byte(text), &cfg); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "containerlab-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := prepare(dir); err != nil {
		return err
	}
	all, err := hierarchies(filepath.Base(dir))
	if err != nil {
		return err
	}
	defer func() {
		for _, h := range all {
			err = errors.Join(err, h.empty(30*time.Second))
		}
	}()
	var list strings.Builder
	for _, h := range all {
		if err := h.make(); err != nil {
			return err
		}
		fmt.Fprintln(&list, h.Own)
	}
	if err := os.WriteFile(wire.Cgroups(dir), []byte(list.String()), 0o644); err != nil {
		return err
	}
	first, heard, err := begin(dir, text, cfg, all)
	if err != nil {
		return err
	}
	defer func() {
		first.Process.Kill()
		first.Wait()
	}()
	line, err := bufio.NewReader(heard).ReadString('\n')
	if err != nil {
		return fmt.Errorf("the first process: %w", err)
	}
	if line != wire.Ready+"\n" {
		return errors.New(line)
	}
	if err := os.WriteFile(wire.First(dir), fmt.Append(nil, first.Process.Pid), 0o644); err != nil {
		return err
	}
	fmt.Println(wire.Ready, dir)
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// prepare makes the lab's directory, which users without rights pass through.
func prepare(dir string) error {
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	for _, sub := range []string{"tmp", "var", "home", "etc", "etc.work"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o755); err != nil {
			return err
		}
	}
	if err := os.Chmod(filepath.Join(dir, "tmp"), 0o777); err != nil {
		return err
	}
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		return err
	}
	return os.WriteFile(wire.Agent(dir), program, 0o755)
}

// begin starts the first process, in the lab's cgroups, which are the roots of what it sees of them.
func begin(dir, text string, cfg wire.Config, all []hierarchy) (first *exec.Cmd, heard io.Reader, err error) {
	for _, h := range all {
		if err := enter(h.Own); err != nil {
			return nil, nil, err
		}
		defer func() { err = errors.Join(err, enter(h.Home)) }()
	}
	flags := unix.CLONE_NEWNS | unix.CLONE_NEWNET | unix.CLONE_NEWCGROUP
	if !cfg.MachinePIDs {
		flags |= unix.CLONE_NEWPID
	}
	first = exec.Command("/proc/self/exe", "init", dir, text)
	first.Stderr = os.Stderr
	first.SysProcAttr = &syscall.SysProcAttr{Cloneflags: uintptr(flags), Pdeathsig: syscall.SIGKILL}
	out, err := first.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	return first, out, first.Start()
}
