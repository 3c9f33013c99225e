package dirlock

import (
	"context"
	"errors"
	"path"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/faultfs"
	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// Two come to stamp one directory, each held up between create and listing until the other has created: one holder or none,
// and then one after the other.
func TestSimTwoStampsMeet(t *testing.T) {
	scenes := map[string]func(s *sim){
		"vacant": func(s *sim) { s.mkdir(); s.put("report.txt", stamp.Vacant) },
		"old": func(s *sim) {
			s.mkdir()
			time.Sleep(time.Hour)
		},
		"dead owner": func(s *sim) {
			s.forge("gone", 1).plant("")
			time.Sleep(time.Hour)
		},
	}
	for what, scene := range scenes {
		for _, order := range []bool{false, true} { // who of the two goes on first
			t.Run(what, func(t *testing.T) {
				bubble(t, func(t *testing.T, s *sim) {
					scene(s)
					procs := []*simProc{s.proc("one"), s.proc("two")}
					if order {
						slices.Reverse(procs)
					}
					var both sync.WaitGroup // who have created
					both.Add(2)
					var users sync.WaitGroup
					for i, p := range procs {
						p.on(first(1, "create dirlock-1", afterwards(func() {
							both.Done()
							both.Wait()
							time.Sleep(time.Duration(i) * 3 * time.Millisecond)
						})))
						users.Go(func() {
							l := p.acquire(3 * time.Minute)
							time.Sleep(3 * time.Second)
							p.leave()
							p.release(l)
						})
					}
					users.Wait()
					if what != "vacant" {
						s.nothingLeft()
					}
				})
			})
		}
	}
}

// A late rmdir puts two fresh directories into each other's way: A's is removed before A stamps it, B makes it anew.
func TestSimLateRmdir(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a, b := s.proc("one"), s.proc("two")
		var lb *Lock
		a.on(first(1, "opendir lock", then(func() {
			s.must(s.server.Local().Rmdir(simPath))
			lb = b.acquire(0)
		})))
		_, err := a.mutex().TryAcquire()
		if held, ok := errors.AsType[*HeldError](err); !ok || held.Holder == nil || held.Holder.PID != b.id.PID {
			t.Errorf("%v", err)
		}
		a.leave()
		b.sound(lb)
	})
}

// What was listed is gone only if a stat says so, by ENOENT or no links. Then the lock is had at once.
func TestSimListedButGone(t *testing.T) {
	for _, links := range []bool{false, true} {
		bubble(t, func(t *testing.T, s *sim) {
			a := s.proc("one")
			ghost := s.forge("two", 7)
			a.lies.onList(func(dir string, list []fsys.Entry) []fsys.Entry {
				return append(list, fsys.Entry{Name: ghost.name, Kind: fsys.KindRegular})
			})
			if links { // it is only known still because somebody has it open
				a.on(first(1, "create dirlock-1", then(func() { ghost.plant("") })))
				a.lies.onStat(func(p string, i fsys.Info) fsys.Info {
					if p == ghost.path {
						i.Nlink = 0
					}
					return i
				})
			}
			l, err := a.mutex().TryAcquire()
			s.must(err)
			if !links {
				a.sound(l)
			}
		})
	}
}

// Every other answer about a listed stamp counts as one that is there: withdrawn, and told.
func TestSimListedAndUnknown(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.ESTALE, syscall.EIO, syscall.EACCES, syscall.ETIMEDOUT, syscall.ENOTDIR, syscall.EINTR} {
		for _, kind := range []fsys.Kind{fsys.KindRegular, fsys.KindUnknown} {
			bubble(t, func(t *testing.T, s *sim) {
				a := s.proc("one")
				other := s.forge("two", 7)
				a.on(all(every("stat "+other.name, fail(errno)), first(1, "create dirlock-1", then(func() { other.plant("") }))))
				a.lies.onList(func(_ string, list []fsys.Entry) []fsys.Entry {
					for i := range list {
						list[i].Kind = kind
					}
					return list
				})
				l, err := a.mutex().TryAcquire()
				if !errors.Is(err, ErrHeld) || !errors.Is(err, errno) {
					t.Fatalf("%v: %v %v", errno, l, err)
				}
				if names := s.names(); len(names) != 1 || names[0] != other.name {
					t.Errorf("%v: on disk: %q", errno, names)
				}
			})
		}
	}
}

// A listing without our own stamp proves nothing for us: it is unlinked all the same, and the next attempt has a new uuid.
func TestSimOwnNameNotListed(t *testing.T) {
	for _, gone := range []bool{false, true} { // it was evicted, or the listing is not true
		bubble(t, func(t *testing.T, s *sim) {
			a := s.proc("one")
			left := 3
			a.lies.onList(func(dir string, list []fsys.Entry) []fsys.Entry {
				if dir != simPath || left == 0 {
					return list
				}
				left--
				if gone {
					for _, e := range list {
						s.must(s.server.Local().Unlink(path.Join(dir, e.Name)))
					}
				}
				return nil
			})
			l, err := a.mutex().TryAcquire()
			s.must(err)
			if n := a.did("create dirlock-1"); n != 4 { // the judge sees to it that they are four uuids
				t.Errorf("%d attempts", n)
			}
			if n := a.did("unlink dirlock-1"); n != 3 {
				t.Errorf("%d of them taken back", n)
			}
			a.sound(l)
		})
	}
}

// Not even a listing that never shows it makes a pass without end, or leaves anything.
func TestSimOwnNameNeverListed(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a := s.proc("one")
		a.lies.onList(func(string, []fsys.Entry) []fsys.Entry { return nil })
		m := a.mutex()
		m.Wait = 2 * time.Second
		l, err := m.Acquire(context.Background())
		if l != nil || !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(l, err)
		}
		if n := a.did("create"); n < 20 || n > 1000 {
			t.Errorf("%d attempts in 2 s", n)
		}
		a.lies.onList(nil)
		s.nothingLeft()
	})
}

// What is not a regular file is no stamp, whatever its name: not counted, not removed, and no hindrance.
func TestSimNotRegular(t *testing.T) {
	for _, kind := range []fsys.Kind{fsys.KindDir, fsys.KindSymlink, fsys.KindOther} {
		for _, told := range []bool{true, false} { // whether the listing says what it is
			bubble(t, func(t *testing.T, s *sim) {
				a := s.proc("one")
				strange := s.forge("two", 7)
				shape := func(p string, i fsys.Info) fsys.Info {
					if p == strange.path {
						i.Kind = kind
					}
					return i
				}
				a.lies.onStat(shape)
				a.lies.onList(func(_ string, list []fsys.Entry) []fsys.Entry {
					for i := range list {
						if !told {
							list[i].Kind = fsys.KindUnknown
						} else if list[i].Name == strange.name {
							list[i].Kind = kind
						}
					}
					return list
				})
				a.on(first(1, "create dirlock-1", then(func() {
					c := s.server.Local()
					if kind == fsys.KindDir {
						s.must(c.Mkdir(strange.path, 0o755))
					} else {
						strange.plant("")
					}
				})))
				l, err := a.mutex().TryAcquire()
				if err != nil {
					t.Fatalf("%v: %v", kind, err)
				}
				a.release(l)
				if !s.there(strange.path) {
					t.Errorf("%v: removed", kind)
				}
				if a.did("unlink "+strange.name) > 0 {
					t.Errorf("%v: tried to remove it", kind)
				}
				l, err = a.mutex().TryAcquire() // it is marked as vacant
				if err != nil {
					t.Fatalf("%v, told %v: the second time: %v", kind, told, err)
				}
				a.release(l)
			})
		}
	}
}

// A name that is not our format counts in step 3.
func TestSimCorruptCounts(t *testing.T) {
	for _, name := range []string{"dirlock-", "dirlock-2", "dirlock-1.x", "dirlock-vacant2", "dirlock-1.\xff"} {
		bubble(t, func(t *testing.T, s *sim) {
			a := s.proc("one")
			a.on(first(1, "create dirlock-1", func(faultfs.Op) (func(error) error, error) { s.put(name); return nil, nil }))
			_, err := a.mutex().TryAcquire()
			if held, ok := errors.AsType[*HeldError](err); !ok || held.Holder == nil || held.Holder.Token != name {
				t.Errorf("%q: %v", name, err)
			}
			if names := s.names(); len(names) != 1 || names[0] != name {
				t.Errorf("%q: on disk: %q", name, names)
			}
			between(t, "the takeover", since(func() { a.acquire(time.Minute) }), 30*time.Second, repairBound)
		})
	}
}
