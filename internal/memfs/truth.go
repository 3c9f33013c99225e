package memfs

import (
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// A Node is a file or a directory as it is, for a judge.
type Node struct {
	Path    string
	Kind    fsys.Kind
	Mode    fs.FileMode
	Content string
	Mtime   time.Time
}

// Snapshot returns all that there is but the root, by path, whatever any client remembers.
func (s *Server) Snapshot() []Node {
	s.enter()
	defer s.mu.Unlock()
	var all []Node
	var below func(dir *node, at string)
	below = func(dir *node, at string) {
		for _, e := range dir.entries {
			p := at + "/" + e.name
			all = append(all, Node{Path: p, Kind: e.n.kind, Mode: e.n.mode, Content: string(e.n.data), Mtime: e.n.mtime})
			below(e.n, p)
		}
	}
	below(s.root, "")
	slices.SortFunc(all, func(a, b Node) int { return strings.Compare(a.Path, b.Path) })
	return all
}

// Lookup says what is at a path, whatever any client remembers.
func (s *Server) Lookup(path string) (fsys.Info, bool) {
	s.enter()
	defer s.mu.Unlock()
	n := s.at(path)
	if n == nil {
		return fsys.Info{}, false
	}
	return s.asIs().info(n), true
}

// Names returns the names in a directory, sorted, whatever any client remembers; none if it is not there.
func (s *Server) Names(dir string) []string {
	s.enter()
	defer s.mu.Unlock()
	n := s.at(dir)
	if n == nil {
		return nil
	}
	var names []string
	for _, e := range n.entries {
		names = append(names, e.name)
	}
	return names
}

func (s *Server) at(path string) *node {
	n, _, err := s.asIs().find(path, toPass, time.Time{})
	if err != nil {
		return nil
	}
	return n
}

// asIs is a client that remembers nothing and is told everything.
func (s *Server) asIs() *Client { return s.Local() }
