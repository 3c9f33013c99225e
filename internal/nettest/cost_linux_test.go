package nettest

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/netlab"
)

// spent is what a mount of a host sent while f ran, by operation.
func spent(t *testing.T, st *station, kind string, f func()) map[string]int64 {
	t.Helper()
	read := func() map[string]netlab.OpStats {
		stats, err := st.MountStats("/mnt/" + kind)
		if err != nil {
			t.Fatal(err)
		}
		return stats
	}
	before := read()
	f()
	diff := map[string]int64{}
	for op, n := range read() {
		if d := n.Sent - before[op].Sent; d != 0 {
			diff[op] = d
		}
	}
	return diff
}

func sum(spent map[string]int64) (n int64) {
	for _, d := range spent {
		n += d
	}
	return n
}

func say(spent map[string]int64, times int) string {
	var b strings.Builder
	for _, op := range slices.Sorted(maps.Keys(spent)) {
		fmt.Fprintf(&b, " %s %.1f", op, float64(spent[op])/float64(times))
	}
	return fmt.Sprintf("%.2f:%s", float64(sum(spent))/float64(times), b.String())
}

// testCycle counts what an uncontended Acquire and Release ask of the server: in a process that has taken a lock on that mount
// before, in a directory whose mode the worker's umask leaves alone, and in one where it does not. The first lock of a process
// also finds out whether beats move a time there.
func testCycle(t *testing.T, s *scene) {
	bars := map[string]struct{ plain, shared, first float64 }{
		"nfs4": {12, 15, 20}, "nfs3": {12, 14, 19}, "smb": {42, 42, 60},
	}
	each(t, func(t *testing.T, kind string) {
		bar, a := bars[kind], s.clients[0]
		dir := "/mnt/" + kind + "/" + s.fresh(t).name + "-dir"
		a.Must("mkdir", "-m", "0755", dir)
		turns := func(dir string, rounds int) string {
			var out string
			used := spent(t, a, kind, func() {
				if r := a.tell(t, order{Do: "turns", Path: path.Join(dir, s.fresh(t).name), Rounds: rounds}).end(patience); r.Count != rounds {
					t.Errorf("%d of %d turns: %s", r.Count, rounds, r.Err)
				}
			})
			out = say(used, rounds)
			return out
		}
		judge := func(what, got string, bar float64) {
			var n float64
			fmt.Sscanf(got, "%f", &n)
			t.Logf("%s: %s", what, got)
			if n > bar || n == 0 {
				t.Errorf("%s: %v calls, at most %v were to be", what, n, bar)
			}
		}
		judge("the first of a process", turns(dir, 1), bar.first)
		judge("where the umask takes nothing", turns(dir, 10), bar.plain)
		a.Must("chmod", "0777", dir)
		judge("where it does", turns(dir, 10), bar.shared)
	})
}

// testBeat counts what keeping a lock asks: a call a beat, and one to read a beat back in each Stale/6.
func testBeat(t *testing.T, s *scene) {
	calls := map[string]string{"nfs4": "SETATTR", "nfs3": "SETATTR", "smb": "SetInfos"}
	const span = 15 * time.Second
	each(t, func(t *testing.T, kind string) {
		a := s.clients[0]
		l := a.acquire(t, order{Path: s.fresh(t).on(kind)})
		time.Sleep(1500 * time.Millisecond) // the first beat is read before, too
		used := spent(t, a, kind, func() { time.Sleep(span) })
		a.release(t, l)
		beats := int(span / time.Second)
		t.Logf("%d beats: %s", beats, say(used, beats))
		most, all := int64(beats)+1, float64(beats)*6/5+2
		if kind == "smb" {
			all *= 6 // open, set, flush and close, mostly
		}
		if n := used[calls[kind]]; n < int64(beats)-2 || n > most || float64(sum(used)) > all {
			t.Errorf("%d %s and %d calls in all for %d beats", n, calls[kind], sum(used), beats)
		}
	})
}

// testPoll counts what a waiter asks: with its default settings, while the holder's beats come; and for each look, with pauses of which it is
// known how many there are at most.
func testPoll(t *testing.T, s *scene) {
	const span = 15 * time.Second
	each(t, func(t *testing.T, kind string) {
		a, b := s.clients[0], s.clients[1]
		const perLook = 3 // on SMB, where open, query and close are sent together
		for _, poll := range []time.Duration{0, time.Second} {
			p := s.fresh(t)
			l := a.acquire(t, order{Path: p.on(kind)})
			d := b.tell(t, order{Do: "acquire", Path: p.on(kind), Wait: -1, Poll: poll})
			time.Sleep(3 * time.Second) // the first looks are closer together
			used := spent(t, b, kind, func() { time.Sleep(span) })
			a.release(t, l)
			d.had(patience)
			b.release(t, d)
			n, seconds := sum(used), int(span/time.Second)
			t.Logf("poll %v: a second %s", poll, say(used, seconds))
			most := int64(5 * seconds)
			if poll != 0 { // pauses of half to all of it, three quarters at the mean
				most = int64(span/poll) * 2
			}
			if kind == "smb" {
				most *= perLook
			}
			if n > most || n < 5 {
				t.Errorf("poll %v: %d calls in %v, at most %d were to be", poll, n, span, most)
			}
		}
	})
}
