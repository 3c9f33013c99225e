//go:build linux

package faultfs

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"strconv"
	"strings"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// A Server is a mount that is served by this process.
type Server struct {
	rules  *rules
	server *fuse.Server
	point  string
}

// Serve mounts a mirror of dir at point and begins to serve it. Who uses the mount in this same process must be ready to
// hang in it for good: tests call [Start].
func Serve(dir, point string) (*Server, error) {
	root, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("faultfs: %s: %w", dir, err)
	}
	lift := unix.Rlimit{Cur: 1 << 20, Max: 1 << 20} // each file that the kernel knows takes a descriptor
	_ = unix.Setrlimit(unix.RLIMIT_NOFILE, &lift)
	unix.Umask(0) // the caller's was taken off already
	m := &mirror{RawFileSystem: fuse.NewDefaultRawFileSystem(), rules: newRules(), nodes: newNodes(root),
		listings: map[uint64]*listing{}, removed: map[string][]fuse.DirEntry{}}
	server, err := fuse.NewServer(m, point, &fuse.MountOptions{
		FsName: dir, Name: "faultfs", DirectMountStrict: true, AllowOther: true, Options: []string{"default_permissions"},
		DisableReadDirPlus: true, DisableXAttrs: true, Logger: log.New(io.Discard, "", 0),
	})
	if err != nil {
		unix.Close(root)
		return nil, fmt.Errorf("faultfs: mounting at %s: %w", point, err)
	}
	go server.Serve()
	return &Server{m.rules, server, point}, server.WaitMount()
}

// Wait returns when the mount has ended.
func (s *Server) Wait() { s.server.Wait() }

// Close ends the mount, now for names and, when nobody is in it any more, for good.
func (s *Server) Close() error {
	s.rules.remove(0)
	return unix.Unmount(s.point, unix.MNT_DETACH)
}

// Control carries out commands, one a line, and answers each by one line, until in ends:
//
//	add RULE     ok ID
//	remove ID    ok: the rule has ended
//	heal         ok: all rules have ended
//	fired ID     ok N CALL: so many calls met the rule, and this was the last
//	stuck        ok N: so many calls are stalled
func (s *Server) Control(in io.Reader, out io.Writer) {
	for lines := bufio.NewScanner(in); lines.Scan(); {
		if answer, err := s.command(lines.Text()); err != nil {
			fmt.Fprintln(out, "error:", err)
		} else {
			fmt.Fprintln(out, strings.TrimSpace("ok "+answer))
		}
	}
}

func (s *Server) command(line string) (string, error) {
	verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	switch verb {
	case "add":
		r, err := ParseRule(rest)
		if err != nil {
			return "", err
		}
		return strconv.Itoa(s.rules.add(r)), nil
	case "heal":
		s.rules.remove(0)
		return "", nil
	case "stuck":
		return strconv.Itoa(s.rules.stalled()), nil
	case "remove", "fired":
		id, err := strconv.Atoi(rest)
		if err != nil || id <= 0 {
			return "", syscall.EINVAL
		}
		if verb == "remove" {
			s.rules.remove(id)
			return "", nil
		}
		n, last := s.rules.met(id)
		return strconv.Itoa(n) + " " + last, nil
	}
	return "", fmt.Errorf("%q is no command: add, remove, heal, fired, stuck", verb)
}
