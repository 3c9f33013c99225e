package memfs_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/internal/memfs"
)

// Measured: a forced stat of a file that another host removed says nlink 0 on NFSv3, and on NFSv4.2 if it was made less than a second before;
// ENOENT elsewhere, at once.
func TestStatOfRemoved(t *testing.T) {
	for _, young := range []bool{false, true} {
		statOfRemoved(t, young, map[string]bool{"nfs3": true, "nfs4": young, "zero": true})
	}
}

func statOfRemoved(t *testing.T, young bool, links0 map[string]bool) {
	play(t, all, func(s *scene) {
		s.must(s.a.Mkdir(lock, 0o755), s.a.Create(stamp, nil, 0o644), s.a.Create("/lock/unknown", nil, 0o644))
		s.must(s.a.Create("/x", nil, 0o644), s.b.Touch("/x"), s.a.Unlink("/x"))
		if !young {
			time.Sleep(second)
		}
		s.stat(s.b, stamp)
		d := s.open(s.b, lock)
		s.must(s.a.Unlink(stamp), s.a.Unlink("/lock/unknown"))
		s.saysOf("b's stat of what it did not know", syscall.ENOENT)(s.b.Stat("/lock/unknown"))
		for what, stat := range map[string]func() (fsys.Info, error){
			"by path":   func() (fsys.Info, error) { return s.b.Stat(stamp) },
			"by handle": func() (fsys.Info, error) { return d.Stat("stamp") },
		} {
			info, err := stat()
			if !by(s, links0) {
				s.says("b's stat "+what, err, syscall.ENOENT)
			} else if err != nil || info.Nlink != 0 || info.Kind != fsys.KindRegular {
				s.Errorf("b's stat %s: %+v, %v", what, info, err)
			}
		}
		s.saysOf("the remover's", syscall.ENOENT)(s.a.Stat(stamp))
		s.says("b's open", ignoreInfo(s.b.Open(stamp)), syscall.ENOENT)
		s.saysOf("below a file that is gone", syscall.ENOENT)(s.b.Stat("/x/y"))
		time.Sleep(3 * second)
		s.saysOf("b's stat, 3 s later", syscall.ENOENT)(s.b.Stat(stamp))
	})
}

// Measured: SMB and NFSv3 answer one more beat after a removal, on NFSv3 where the directory was removed, too; NFSv4.2 only where the file
// was made less than a second before. So a loss is noticed within three beats.
func TestLastTouch(t *testing.T) {
	for what, remove := range map[string]func(*memfs.Client) error{
		"file":              func(c *memfs.Client) error { return c.Unlink(stamp) },
		"and its directory": removeBoth,
	} {
		for _, young := range []bool{false, true} {
			succeeds := map[string]bool{"nfs3": true, "zero": true, "nfs4": young, "smb": what == "file"}
			t.Run(what, func(t *testing.T) {
				play(t, all, func(s *scene) {
					answer := syscall.ENOENT
					if by(s, succeeds) {
						answer = 0
					}
					s.must(s.a.Mkdir(lock, 0o755), s.a.Create("/lock/unknown", nil, 0o644), s.a.Create(stamp, nil, 0o644))
					if time.Sleep(second - moment); !young {
						time.Sleep(10 * second)
					}
					s.must(s.b.Touch(stamp))
					s.must(s.a.Unlink("/lock/unknown"), remove(s.a))
					before := s.s.Snapshot()
					s.says("a, which removed it", s.a.Touch(stamp), syscall.ENOENT)
					time.Sleep(second)
					s.says("b's next touch", s.b.Touch(stamp), answer)
					s.says("b's second", s.b.Touch(stamp), syscall.ENOENT)
					s.says("b's third", s.b.Touch(stamp), syscall.ENOENT)
					s.says("b's first of what it did not know", s.b.Touch("/lock/unknown"), syscall.ENOENT)
					if !sameNodes(before, s.s.Snapshot()) {
						s.Error("it had an effect")
					}
				})
			})
		}
	}
}

// What the way to a name leads to, when it leads through a directory that is gone, is asked for again.
func TestThroughRemoved(t *testing.T) {
	play(t, all, func(s *scene) {
		s.must(s.a.Mkdir(lock, 0o755), s.a.Create(stamp, nil, 0o644))
		s.stat(s.b, stamp)
		time.Sleep(2 * second)
		s.must(removeBoth(s.a), s.a.Mkdir(lock, 0o755), s.a.Create("/lock/new", nil, 0o644))
		s.must(s.b.Touch("/lock/new"))
		s.stat(s.b, "/lock/new")
	})
}

func removeBoth(c *memfs.Client) error {
	if err := c.Unlink(stamp); err != nil {
		return err
	}
	return c.Rmdir(lock)
}

// Of a directory there is no last beat.
func TestLastTouchOfDirectory(t *testing.T) {
	play(t, all, func(s *scene) {
		s.must(s.a.Mkdir(lock, 0o755), s.b.Touch(lock), s.a.Rmdir(lock))
		s.says("b's next touch", s.b.Touch(lock), syscall.ENOENT)
	})
}

// The last beat of one file leaves alone what is remembered of others.
func TestLastTouchAndOthers(t *testing.T) {
	play(t, all, func(s *scene) {
		s.must(s.a.Create("/x", nil, 0o644), s.a.Create("/y", nil, 0o600), s.b.Touch("/x"), s.b.Touch("/y"), s.a.Unlink("/x"))
		want := s.stat(s.b, "/y")
		s.b.Touch("/x")
		if got := s.glance(s.b, "/y"); got != want {
			s.Errorf("%+v, want %+v", got, want)
		}
	})
}

// The one more beat may come after another file took the name; it is not that file's.
func TestLastTouchIsNotTheSuccessors(t *testing.T) {
	play(t, []mount{nfs3, smb, zero}, func(s *scene) {
		s.must(s.a.Create("/x", nil, 0o644), s.b.Touch("/x"), s.a.Unlink("/x"))
		time.Sleep(2 * second)
		s.file(s.a, "/x")
		time.Sleep(10 * second)
		before := s.s.Snapshot()
		s.must(s.b.Touch("/x"))
		if !sameNodes(before, s.s.Snapshot()) {
			s.Error("touched the new file")
		}
		s.must(s.b.Touch("/x"))
		if sameNodes(before, s.s.Snapshot()) {
			s.Error("the second touch had no effect")
		}
	})
}

// Measured: through the handle of a directory that was removed NFS says ESTALE.
func TestRemovedDirectory(t *testing.T) {
	answers := map[string]syscall.Errno{"local": syscall.ENOENT, "smb": syscall.ENOENT,
		"nfs3": syscall.ESTALE, "nfs4": syscall.ESTALE, "zero": syscall.ESTALE}
	play(t, all, func(s *scene) {
		s.must(s.a.Mkdir(lock, 0o755))
		d := s.open(s.b, lock)
		s.must(s.a.Rmdir(lock))
		check := func(when string) {
			s.Helper()
			s.says("create "+when, d.Create("x", nil, 0o644), by(s, answers))
			s.says("unlink "+when, d.Unlink("x"), by(s, answers))
			s.says("list "+when, ignoreInfo(d.List()), by(s, answers))
			s.says("read "+when, ignoreInfo(d.Read("x", 1)), by(s, answers))
			s.says("stat "+when, ignoreInfo(d.Stat("x")), by(s, answers))
			s.says("glance "+when, ignoreInfo(d.(memfs.CachedStater).CachedStat("x")), by(s, answers))
			info, err := d.Info()
			if s.name != "local" {
				s.says("info "+when, err, by(s, answers))
				s.says("chmod "+when, d.Grant(0o700), by(s, answers))
				s.says("traits "+when, ignoreInfo(d.Traits()), by(s, answers))
			} else if err != nil || info.Nlink != 0 {
				s.Errorf("info %s: %+v, %v", when, info, err)
			}
		}
		check("after the rmdir")
		s.must(s.a.Mkdir(lock, 0o755))
		if s.name != "smb" && s.name != "zero" { // see TestHandleIsPath
			check("when another took its place")
		}
		s.saysOf("the new one's stat", 0)(s.b.Stat(lock))
	})
}
