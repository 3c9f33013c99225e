package memfs_test

import (
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/internal/memfs"
)

// skewed sets the server's clock 1000 s back and a's 100 s ahead, and returns what each says now.
func (s *scene) skewed() (server, host func() time.Time) {
	s.s.Step(-1000 * second)
	s.a.Offset = func() time.Duration { return 100 * second }
	return func() time.Time { return time.Now().Add(-1000 * second) }, func() time.Time { return time.Now().Add(100 * second) }
}

func (s *scene) mtime(what string, got fsys.Info, want time.Time) {
	s.Helper()
	if !got.Mtime.Equal(want) {
		s.Errorf("%s: mtime %v, want %v", what, got.Mtime, want)
	}
}

// Measured: utimensat(now) gives the server's time on NFS and the client's on SMB.
func TestTouchClock(t *testing.T) {
	clients := map[string]bool{"smb": true}
	play(t, []mount{local, nfs3, nfs4, smb}, func(s *scene) {
		server, host := s.skewed()
		s.file(s.a, "/x")
		for range 2 {
			time.Sleep(second + 12345)
			s.must(s.a.Touch("/x"))
			want := server()
			if by(s, clients) {
				want = host().Truncate(100)
			}
			truth, _ := s.s.Lookup("/x")
			s.mtime("the server's view", truth, want)
			s.mtime("a's view", s.stat(s.a, "/x"), want)
			s.mtime("b's view", s.stat(s.b, "/x"), want)
			time.Sleep(10 * second)
			s.mtime("b's view, later", s.stat(s.b, "/x"), want)
		}
	})
}

// The client's time is that of the call, however late it comes to the server (measured: a touch hung for 14 s, and then succeeded).
func TestTouchThatHung(t *testing.T) {
	clients := map[string]bool{"smb": true, "nfs4new": true}
	play(t, []mount{local, nfs3, nfs4, smb, new4}, func(s *scene) {
		server, _ := s.skewed()
		s.file(s.a, "/x")
		sent := s.a.Date()
		time.Sleep(14 * second)
		s.must(s.a.TouchDated("/x", sent))
		want := server()
		if by(s, clients) {
			want = sent
		}
		s.mtime("a's view", s.stat(s.a, "/x"), want)
	})
}

// Measured: mkdir and create give the server's time; but on SMB others may see the creator's for a moment, and 3 s later the
// server's: the mtime goes back.
func TestCreateClock(t *testing.T) {
	creators := map[string]bool{"smb": true, "zero": true}
	play(t, all, func(s *scene) {
		server, host := s.skewed()
		s.must(s.a.Mkdir(lock, 0o755))
		s.file(s.a, "/x")
		made, first := server(), server()
		if by(s, creators) {
			first = host()
		}
		for _, c := range s.hosts() {
			s.mtime("directory", s.stat(c, lock), made)
			s.mtime("file", s.stat(c, "/x"), first)
		}
		truth, _ := s.s.Lookup("/x")
		s.mtime("the truth", truth, made)
		time.Sleep(3*second - moment)
		s.mtime("file, nearly 3 s later", s.stat(s.b, "/x"), first)
		time.Sleep(moment)
		s.mtime("file, 3 s later", s.stat(s.b, "/x"), made)
	})
	play(t, []mount{smb}, func(s *scene) {
		_, host := s.skewed()
		s.file(s.a, "/x")
		time.Sleep(second)
		s.must(s.a.Touch("/x"))
		beat := host()
		for range 4 {
			s.mtime("a touch is for good", s.stat(s.b, "/x"), beat)
			time.Sleep(second)
		}
	})
}

// Measured: on SMB in steps of 100 ns, by sshfs of 1 s, else as the server stamps it.
func TestGrain(t *testing.T) {
	grains := map[string]time.Duration{"local": 1, "nfs3": 1, "nfs4": 1, "smb": 100, "zero": time.Second}
	play(t, all, func(s *scene) {
		time.Sleep(1234567891)
		s.must(s.a.Mkdir(lock, 0o755), s.a.Create(stamp, nil, 0o644), s.a.Touch(stamp))
		want := time.Now().Truncate(by(s, grains))
		s.mtime("directory", s.stat(s.b, lock), want)
		s.mtime("file", s.stat(s.b, stamp), want)
		s.must(s.a.SetMtime(stamp, time.Unix(1e9, 123456789)))
		truth, _ := s.s.Lookup(stamp)
		s.mtime("set, on the server", truth, time.Unix(1e9, 123456789).Truncate(by(s, grains)))
		s.mtime("set", s.stat(s.b, stamp), time.Unix(1e9, 123456789).Truncate(by(s, grains)))
	})
}

// Measured: the server's times move in ticks of 1 to 10 ms.
func TestTick(t *testing.T) {
	play(t, []mount{local, nfs3, nfs4, smb}, func(s *scene) {
		s.s.Tick = 10 * moment
		time.Sleep(1234567891)
		want := time.Now().Truncate(10 * moment)
		s.must(s.a.Mkdir(lock, 0o755), s.a.Create(stamp, nil, 0o644))
		s.mtime("mkdir", s.stat(s.b, lock), want)
		time.Sleep(3 * second)
		s.mtime("create", s.stat(s.b, stamp), want)
		if s.name != "smb" {
			s.must(s.a.Touch(stamp))
			s.mtime("touch", s.stat(s.b, stamp), want.Add(3*second))
		}
		s.must(s.a.Unlink(stamp))
		s.mtime("unlink", s.stat(s.b, lock), want.Add(3*second))
		now, err := s.s.Local().Clock("/aux", s.s.Local().Kind)
		s.must(err)
		s.mtime("the local clock", fsys.Info{Mtime: now}, want.Add(3*second))
	})
}

// What [fsys.Traits] says of such mounts.
func TestTraits(t *testing.T) {
	s := memfs.NewServer()
	for _, c := range []struct {
		got  *memfs.Client
		want fsys.Traits
	}{
		{s.NFS3("a"), fsys.Traits{Type: "nfs", Beats: fsys.ClockFS, NameMax: 255, Dev: 3, KeepsNames: true}},
		{s.NFS4("a"), fsys.Traits{Type: "nfs", Beats: fsys.ClockFS, NameMax: 255, Dev: 4, KeepsNames: true}},
		{s.SMB("a"), fsys.Traits{Type: "smb2", Beats: fsys.ClockClient, DeletePending: true, NameMax: 255, Dev: 5}},
	} {
		if got, err := c.got.Traits("/"); got != c.want || err != nil {
			t.Errorf("%+v, %v, want %+v", got, err, c.want)
		}
	}
	if a := s.NFS3("a"); a != s.NFS3("a") || a == s.NFS3("b") || a == s.NFS4("a") {
		t.Error("not one client for each host and kind of mount")
	}
}
