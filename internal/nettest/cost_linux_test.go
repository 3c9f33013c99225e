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
// It also says how long that took, from before the first count to after the last: calls that come by themselves are no more than fit in there.
func spent(t *testing.T, st *station, kind string, f func()) (map[string]int64, time.Duration) {
	t.Helper()
	begin := time.Now()
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
	return diff, time.Since(begin)
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
			used, _ := spent(t, a, kind, func() {
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

// testKeeping counts what keeping a lock asks, and what waiting for it does, with default settings and with a Poll of 1 s.
//
// A beat is one call. On NFS every second one is preceded by another, about the name of the lock, and everywhere one is read back in each Stale/6.
// A waiter asks less than five times a second, and once a look.
func testKeeping(t *testing.T, s *scene) {
	const span = 12 * time.Second
	each(t, func(t *testing.T, kind string) {
		a, b := s.clients[0], s.clients[1]
		for _, poll := range []time.Duration{0, time.Second} {
			p := s.fresh(t)
			l := a.acquire(t, order{Path: p.on(kind)})
			d := b.tell(t, order{Do: "acquire", Path: p.on(kind), Wait: -1, Poll: poll})
			time.Sleep(3 * time.Second) // the first looks are closer together, and the first beat is read before, too
			var kept map[string]int64
			var keeping time.Duration
			asked, asking := spent(t, b, kind, func() { kept, keeping = spent(t, a, kind, func() { time.Sleep(span) }) })
			a.release(t, l)
			d.had(patience)
			b.release(t, d)
			t.Logf("a beat: %s", say(kept, int(span/time.Second)))
			t.Logf("poll %v, a second: %s", poll, say(asked, int(span/time.Second)))
			checkBeats(t, kind, kept, int64(span/time.Second), int64(keeping/time.Second)+1)
			checkLooks(t, kind, asked, asking, poll)
		}
	})
}

func checkBeats(t *testing.T, kind string, kept map[string]int64, least, beats int64) {
	call, most := "SETATTR", beats*17/10+3
	if kind == "smb" {
		call, most = "SetInfos", beats*8+8 // open, set, flush and close, mostly
	}
	if n := kept[call]; n < least-2 || n > beats+1 || sum(kept) > most {
		t.Errorf("%d %s and %d calls in all for %d beats", n, call, sum(kept), beats)
	}
}

func checkLooks(t *testing.T, kind string, asked map[string]int64, span, poll time.Duration) {
	most := int64(5*span/time.Second) + 1
	if poll != 0 { // pauses of half to all of it, three quarters at the mean
		most = int64(2*span/poll) + 1
	}
	if kind == "smb" {
		most *= 3 // open, query and close, which are sent together
	}
	if n := sum(asked); n > most || n < 5 {
		t.Errorf("poll %v: %d calls in %v, at most %d were to be", poll, n, span, most)
	}
}
