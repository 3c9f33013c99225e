// Package memfs is a file system in memory for tests that need its clock to be theirs: in a testing/synctest bubble, hours
// pass at once. A [Server] holds the files; each host has a [Client], which behaves as a local file system does or, by its
// [Behaviour], as an NFS or SMB mount was measured to.
//
// Every call is atomic and none blocks. What a call answers depends on the calls before it and on the time, and on nothing else.
package memfs

import (
	"io/fs"
	"sync"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// A Server holds the files. Several clients may share it.
type Server struct {
	// Tick is how coarse the server's clock is on files: every time that it stamps is a multiple. Zero is exact. To be set
	// before the first call. (Measured: 10 ms where HZ is 100, 1 to 4 ms elsewhere.)
	Tick time.Duration

	mu      sync.Mutex
	root    *node
	inodes  inodes
	step    time.Duration // how far its clock was stepped
	hidden  uint32        // how many open files were given a .nfs name
	mounted []mounted
	linger  []*OpenFile // by hosts that have just made the file
}

// NewServer returns a server with an empty root directory.
func NewServer() *Server {
	s := &Server{}
	s.root = s.node(fsys.KindDir, 0o755, clock())
	return s
}

// Step sets the server's clock forward or back.
func (s *Server) Step(d time.Duration) {
	s.enter()
	defer s.mu.Unlock()
	s.step += d
}

// enter begins a call: everything that was to happen until now has happened then.
func (s *Server) enter() {
	s.mu.Lock()
	s.settleLinger()
}

// clock is the only one there is: in a bubble, the bubble's.
func clock() time.Time { return time.Now().Round(0) }

// stamp is what the server puts on what changes now.
func (s *Server) stamp(now time.Time) time.Time {
	t := now.Add(s.step)
	if s.Tick > 0 {
		t = t.Truncate(s.Tick)
	}
	return t
}

func (s *Server) node(kind fsys.Kind, mode fs.FileMode, now time.Time) *node {
	return &node{kind: kind, mode: mode, mtime: s.stamp(now), ino: s.inodes.take(), made: now}
}
