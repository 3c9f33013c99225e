package memfs_test

import (
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/memfs"
)

// waits checks for how long a call of a's waits, while b cannot be reached.
func (s *scene) waits(what, op, p string, want time.Duration) {
	s.Helper()
	left, host := s.a.Waits(op, p, func(c *memfs.Client) bool { return c != s.b })
	if left != want || (host == s.b) != (want > 0) {
		s.Errorf("%s: %s waits for %v, want %v", what, op, left, want)
	}
}

// Measured: what has opened a stamp for reading on NFSv4.2 and is cut off makes its holder's touch, and its unlink, hang until the server gives
// up; a forced stat does not. On SMB the unlink hangs, for 1.3 s. On NFSv3 nothing does.
func TestReaderThatIsOff(t *testing.T) {
	touch := map[string]time.Duration{"nfs4": 104 * second, "nfs4new": 104 * second, "zero": 104 * second}
	unlink := map[string]time.Duration{"nfs4": 104 * second, "nfs4new": 104 * second, "zero": 104 * second, "smb": 1400 * moment}
	reads := map[string]func(*scene){
		"opened": func(s *scene) { s.hold(s.b, stamp) },
		"read":   func(s *scene) { s.must(ignoreInfo(s.open(s.b, lock).Read("stamp", 1))) },
	}
	for how, read := range reads {
		t.Run(how, func(t *testing.T) {
			play(t, append([]mount{new4}, all...), func(s *scene) {
				d := s.open(s.a, "/")
				s.must(s.a.Mkdir(lock, 0o755), s.open(s.a, lock).Create("stamp", nil, 0o644), d.Close())
				time.Sleep(2 * second)
				s.stat(s.b, stamp)
				s.waits("before", "touch", stamp, 0)
				s.waits("before", "unlink", stamp, 0)
				read(s)
				s.waits("a look", "stat", stamp, 0)
				s.waits("then", "touch", stamp, by(s, touch))
				s.waits("then", "unlink", stamp, by(s, unlink))
				time.Sleep(second)
				s.waits("a second later", "touch", stamp, max(0, by(s, touch)-second))
				if time.Sleep(by(s, touch) - second); s.name == "smb" {
					time.Sleep(second)
				}
				s.waits("when the server has given up", "touch", stamp, 0)
				s.waits("when the server has given up", "unlink", stamp, 0)
				s.must(s.a.Touch(stamp))
			})
		})
	}
}

// On NFS a file that somebody has open stays open, whoever removes it and whether he can be reached.
func TestOpenAndOff(t *testing.T) {
	closes := map[string]bool{"smb": true}
	play(t, []mount{nfs3, nfs4, smb}, func(s *scene) {
		s.file(s.a, "/x")
		time.Sleep(2 * second)
		f, err := s.b.Open("/x")
		s.must(err)
		for range 2 {
			s.a.Waits("unlink", "/x", func(*memfs.Client) bool { return false })
			time.Sleep(2 * second)
		}
		if closed := f.Close() != nil; closed != by(s, closes) {
			t.Errorf("%s: the server has closed it: %v", s.name, closed)
		}
	})
}

// The same: who is there gives back what it has, at once. For half a minute then it is not given that again.
func TestReaderThatIsThere(t *testing.T) {
	play(t, []mount{nfs4}, func(s *scene) {
		s.file(s.a, "/x")
		s.hold(s.b, "/x")()
		s.waits("a file made a moment ago", "touch", "/x", 0)
		time.Sleep(second)
		s.hold(s.b, "/x")()
		if left, _ := s.a.Waits("touch", "/x", func(*memfs.Client) bool { return true }); left != 0 {
			s.Errorf("waits for %v", left)
		}
		s.must(s.a.Touch("/x"))
		s.waits("after it was given back", "touch", "/x", 0)
		s.hold(s.b, "/x")()
		s.waits("given back a moment ago", "touch", "/x", 0)
		time.Sleep(30 * second)
		s.hold(s.b, "/x")()
		if left, _ := s.b.Waits("touch", "/x", func(*memfs.Client) bool { return false }); left != 0 {
			s.Errorf("waits %v for itself", left)
		}
		s.waits("half a minute later", "touch", "/x", 104*second)
		s.must(s.b.Unlink("/x"))
	})
}

// Measured between Linux 7.2 kernels: the times of a file that is made by its path are the affair of the host that made it, by that one's clock.
// Others see the time of the creation, and who looks waits for that host. A file that is made through its open directory is like any other.
func TestTimesDelegated(t *testing.T) {
	delegated := map[string]bool{"nfs4new": true}
	play(t, []mount{local, nfs3, nfs4, new4, smb}, func(s *scene) {
		if s.name == "smb" {
			return // where they are by the host's clock anyhow
		}
		server, host := s.skewed()
		s.must(s.a.Mkdir(lock, 0o755), s.a.Create(stamp, nil, 0o644), s.open(s.a, lock).Create("other", nil, 0o644))
		time.Sleep(second)
		s.must(s.a.Touch(stamp), s.a.Touch("/lock/other"))
		want, was := server(), server()
		if by(s, delegated) {
			want, was = host(), server().Add(-second)
		}
		truth, _ := s.s.Lookup(stamp)
		s.mtime("the server's view", truth, was)
		s.mtime("a's view", s.stat(s.a, stamp), want)
		s.mtime("b's view", s.stat(s.b, stamp), was)
		s.mtime("b's view of the other", s.stat(s.b, "/lock/other"), server())
		time.Sleep(second)
		s.must(s.a.Touch(stamp))
		away := func(c *memfs.Client) bool { return c != s.a }
		left, _ := s.b.Waits("stat", stamp, away)
		if (left == 104*second) != by(s, delegated) || left == 0 && by(s, delegated) {
			s.Errorf("b's look waits for %v", left)
		}
		if time.Sleep(left); by(s, delegated) { // which the server does not get to know any more
			if left, _ := s.b.Waits("stat", stamp, away); left != 0 {
				s.Errorf("b's look waits for another %v", left)
			}
			s.mtime("b's view, when the server has given up", s.stat(s.b, stamp), was)
		}
		s.must(s.b.Touch(stamp), s.a.Touch(stamp))
		s.mtime("by the server's clock again", s.stat(s.b, stamp), server())
	})
}

// Measured with Linux 7.2 clients, unless they are told otherwise: who has looked at a directory and is gone holds up who changes what is in it.
func TestDirectoriesDelegated(t *testing.T) {
	for what, look := range map[string]func(*scene){
		"listed":  func(s *scene) { s.lists("b", s.open(s.b, lock), "stamp") },
		"stat'ed": func(s *scene) { s.stat(s.b, lock) },
	} {
		t.Run(what, func(t *testing.T) {
			play(t, []mount{nfs4, new4, zero}, func(s *scene) {
				s.must(s.a.Mkdir(lock, 0o755), s.a.Create(stamp, nil, 0o644))
				time.Sleep(2 * second)
				look(s)
				want := time.Duration(0)
				if s.name == "zero" {
					want = 104 * second
				}
				s.waits("what changes nothing in it", "touch", stamp, 0)
				for _, op := range []string{"create", "unlink", "mkdir", "rename"} {
					s.waits("then", op, stamp, want)
				}
				s.waits("then", "rmdir", lock, want)
			})
		})
	}
}
