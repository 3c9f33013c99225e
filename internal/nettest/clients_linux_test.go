package nettest

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// testClients tries what docs/filesystems.md says that clients do, call by call: what the protocol rests on, and what the lock has to cope with.
// What differs between kinds without harm is logged, not judged.
func testClients(t *testing.T, s *scene) {
	each(t, func(t *testing.T, kind string) {
		for _, f := range []struct {
			what string
			try  func(*testing.T, *scene, string) string
		}{
			{"one mkdir wins", tryRace}, {"who stamps", tryStamp}, {"a stat by force", tryStat}, {"made anew", tryAnew}, {"moved away", tryMoved},
			{"a listing", tryListing},
		} {
			t.Logf("%s: %s", f.what, f.try(t, s, kind))
		}
	})
}

// do has the host do one call.
func (st *station) do(t *testing.T, call, path string) report {
	t.Helper()
	return st.tell(t, order{Do: "call", Call: call, Path: path}).end(patience)
}

// must is do for what does not fail.
func (st *station) must(t *testing.T, call, path string) string {
	t.Helper()
	r := st.do(t, call, path)
	if r.Err != "" {
		t.Fatalf("%s: %s: %s", st.Name, call, r.Err)
	}
	return r.Text
}

// tryRace: of all who make one directory, one does; and of two who each make a file in it and then list it, one at least sees the other's.
func tryRace(t *testing.T, s *scene, kind string) string {
	rounds := 150
	if long() {
		rounds = 3000
	}
	for _, call := range []string{"", "files"} {
		path := s.fresh(t).on(kind)
		times := map[string]int{}
		var racers []*told
		for _, st := range s.clients[:2] {
			racers = append(racers, st.tell(t, order{Do: "race", Call: call, Path: path, Rounds: rounds}))
		}
		for _, d := range racers {
			r := d.end(5 * patience)
			if r.Err != "" {
				t.Errorf("race: %s", r.Err)
			}
			for n := range strings.FieldsSeq(r.Text) {
				times[n]++
			}
		}
		for n, won := range times {
			if won > 1 {
				t.Errorf("round %s of %q: both were alone", n, call)
			}
		}
		if call == "" && len(times) != rounds {
			t.Errorf("%d rounds of %d were won", len(times), rounds)
		}
	}
	return "so it was"
}

// tryStamp: a touch is stamped by the server's clock on NFS, by the client's on SMB.
func tryStamp(t *testing.T, s *scene, kind string) string {
	p := s.fresh(t)
	b := s.clients[1]
	b.must(t, "create", p.on(kind))
	b.Clock(time.Hour)
	b.must(t, "touch", p.on(kind))
	b.Clock(-time.Hour)
	there, err := time.Parse(time.RFC3339Nano, s.server.must(t, "stat", p.at(s.lab)))
	if err != nil {
		t.Fatal(err)
	}
	off := time.Until(there)
	if clients := kind == "smb"; clients != (off > 30*time.Minute) || !clients && off.Abs() > time.Minute {
		t.Errorf("touched by one whose date is an hour ahead: the server says %v from now", off)
	}
	if kind == "smb" {
		return "the client"
	}
	return "the server"
}

// tryStat: a stat by force sees another's touch and removal at once, whatever was known before.
func tryStat(t *testing.T, s *scene, kind string) string {
	p := s.fresh(t)
	dir, file := p.on(kind), p.on(kind)+"/file"
	a, b := s.clients[0], s.clients[1]
	a.must(t, "mkdir", dir)
	a.must(t, "create", file)
	for range 5 {
		before := b.must(t, "stat", file)
		time.Sleep(30 * time.Millisecond) // more than a tick of the server
		a.must(t, "touch", file)
		if after := b.must(t, "stat", file); after == before {
			t.Errorf("a touch is not seen: %s", before)
		}
	}
	a.must(t, "unlink", file)
	if r := b.do(t, "stat", file); r.Err == "" {
		t.Errorf("what was removed is there still: %+v", r)
	}
	return "at once"
}

// tryAnew: another's rmdir makes room for a mkdir, on SMB after a stat by force at the latest.
func tryAnew(t *testing.T, s *scene, kind string) string {
	p := s.fresh(t)
	a, b := s.clients[0], s.clients[1]
	a.must(t, "mkdir", p.on(kind))
	b.must(t, "stat", p.on(kind))
	a.must(t, "rmdir", p.on(kind))
	r := b.do(t, "mkdir", p.on(kind))
	if r.Err == "" {
		return "at once"
	}
	if kind != "smb" {
		t.Errorf("mkdir after another's rmdir: %s", r.Err)
	}
	if r := b.do(t, "stat", p.on(kind)); r.Err == "" {
		t.Errorf("a stat by force finds it: %+v", r)
	}
	b.must(t, "mkdir", p.on(kind))
	return "after a stat by force; before: " + r.Err
}

// tryMoved: where a client goes by the names it knows, it finds what was moved away at the old path, until it is asked for the directory that
// the path is in.
func tryMoved(t *testing.T, s *scene, kind string) string {
	p := s.fresh(t)
	above, dir, file := p.on(kind), p.on(kind)+"/dir", p.on(kind)+"/dir/file"
	a := s.clients[0]
	for _, d := range []string{above, dir} {
		a.must(t, "mkdir", d)
	}
	a.must(t, "create", file)
	a.must(t, "stat", file)
	s.lab.Server.Must("mv", p.at(s.lab)+"/dir", p.at(s.lab)+"/away")
	known := a.do(t, "touch", file).Err == ""
	a.must(t, "stat", above)
	if r := a.do(t, "stat", file); r.Err == "" {
		t.Errorf("the directory above was asked for, and the path leads there still: %+v", r)
	}
	if known {
		return "the path led there, until the directory above was asked for"
	}
	return "the path led nowhere"
}

// tryListing: who lists a directory sees at once what another has made and removed, save on NFS 3, where a second change within one tick of the
// server is missed. (Who has changed it himself before, as everybody has who takes a lock, sees all: see tryRace.)
func tryListing(t *testing.T, s *scene, kind string) string {
	dir := s.fresh(t).on(kind)
	a, b := s.clients[0], s.clients[1]
	a.must(t, "mkdir", dir)
	const rounds = 20
	old := 0
	for range rounds {
		for _, call := range []string{"create", "unlink"} {
			a.must(t, call, dir+"/x")
			if listed := b.must(t, "list", dir) == "x"; listed != (call == "create") {
				old++
			}
		}
	}
	if old > 0 && kind != "nfs3" {
		t.Errorf("%d listings of %d were old", old, 2*rounds)
	}
	return fmt.Sprintf("%d of %d were old", old, 2*rounds)
}
