package memfs

import (
	"slices"
	"strings"
	"time"
)

// keepOpen lets the host that has just made a file, or read it, have it open for a while. The caller holds mu.
func (c *Client) keepOpen(n *node, path string, now time.Time) {
	f := &OpenFile{c: c, n: n, path: path, until: now.Add(c.b.LingerAge)}
	n.opened = append(n.opened, f)
	n.handles++
	c.linger = append(c.linger, f)
}

// lingering returns the file that the host has made by that name and has open, whatever has become of the name. The caller holds mu.
func (c *Client) lingering(path string) *node {
	for _, f := range c.linger {
		if f.c == c && f.path == path {
			return f.n
		}
	}
	return nil
}

// seenGone notes that the server has just said, by force, that there is no such name: what the host has open is not taken for it any more.
func (c *Client) seenGone(path string) {
	for _, f := range c.linger {
		if f.c == c && (f.path == path || strings.HasPrefix(f.path, path+"/")) {
			f.path = ""
		}
	}
}

// letLinger closes what the host made and is about to remove itself. The caller holds mu.
func (c *Client) letLinger(n *node, now time.Time) {
	c.closeLinger(func(f *OpenFile) bool { return f.c == c && f.n == n }, now)
}

// settleLinger closes what was kept open for long enough: whoever asks for anything, it has happened by then. The caller holds mu.
func (s *Server) settleLinger() {
	if len(s.linger) > 0 {
		now := clock()
		s.closeLinger(func(f *OpenFile) bool { return !now.Before(f.until) }, time.Time{})
	}
}

func (s *Server) closeLinger(is func(*OpenFile) bool, now time.Time) {
	var due []*OpenFile
	s.linger = slices.DeleteFunc(s.linger, func(f *OpenFile) bool {
		if is(f) {
			due = append(due, f)
			return true
		}
		return false
	})
	for _, f := range due {
		at := now
		if at.IsZero() {
			at = f.until
		}
		s.closed(f, at)
	}
}
