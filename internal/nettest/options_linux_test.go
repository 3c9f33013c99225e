package nettest

import (
	"fmt"
	"path"
	"strings"
	"sync"
	"testing"
	"time"
)

// mounts are what docs/filesystems.md has a row for: the kind of file system, and options beside the kernel's defaults. The others are for the
// long form.
var mounts, otherMounts = []string{
	"nfs4 noac", "nfs4 actimeo=600", "nfs4 nocto", "nfs4 soft,timeo=50,retrans=2", "nfs4 lookupcache=none",
	"nfs3 noac", "nfs3 actimeo=600", "nfs3 nocto", "nfs3 soft,timeo=50,retrans=2", "nfs3 lookupcache=none",
	"smb cache=none", "smb cache=loose", "smb actimeo=30", "smb nobrl", "smb hard",
}, []string{
	"nfs4", "nfs3", "smb", "nfs4 actimeo=0", "nfs4 lookupcache=pos", "nfs3 actimeo=0", "nfs3 nolock", "smb actimeo=0", "smb vers=2.1",
}

// testMounts tries each kind of mount, between two hosts that have mounted it alike: the lock is taken and given back, changes hands,
// is never held twice when both want it all the time, is noticed to be lost, and is had again after its holder's death.
func testMounts(t *testing.T, s *scene) {
	var mu sync.Mutex // one mount after the other: the same share is mounted by several names
	room := make(chan struct{}, 5)
	if long() {
		mounts = append(mounts, otherMounts...)
	}
	for _, mount := range mounts {
		t.Run(strings.ReplaceAll(mount, " ", ","), func(t *testing.T) {
			t.Parallel()
			room <- struct{}{}
			defer func() { <-room }()
			kind, options, _ := strings.Cut(mount, " ")
			var at [2]string
			mu.Lock()
			for i := range at {
				at[i] = s.clients[i].Mount(kind, options)
			}
			mu.Unlock()
			defer func() {
				for i := range at {
					s.clients[i].Unmount(at[i])
				}
			}()
			var all sync.WaitGroup
			var said [4]string
			for i, f := range []func(*testing.T, *scene, [2]string) string{tryHandover, tryBoth, tryLoss, tryDeath} {
				all.Go(func() { said[i] = f(t, s, at) })
			}
			all.Wait()
			t.Log(strings.Join(said[:], "; "))
		})
	}
}

// tryHandover has the lock go from one host to the other and back.
func tryHandover(t *testing.T, s *scene, at [2]string) string {
	name := s.fresh(t).name
	var longest, first time.Duration
	var held *told
	for i := range 9 {
		st := s.clients[i%2]
		begin := time.Now()
		next := st.tell(t, order{Do: "acquire", Path: path.Join(at[i%2], name), Wait: -1})
		if held == nil {
			next.had(patience)
			first = time.Since(begin)
		} else {
			time.Sleep(500 * time.Millisecond)
			freed := held.st.tell(t, order{Do: "release", Path: held.order.Path})
			releasing := freed.wait(patience, "the release", is(toldReleasing))
			longest = max(longest, st.time(next.had(patience)).Sub(held.st.time(releasing)))
			if r := freed.end(patience); r.Err != "" {
				t.Errorf("release: %s", r.Err)
			}
		}
		held = next
	}
	held.st.release(t, held)
	if longest > 3*time.Second {
		t.Errorf("a handover took %v", longest)
	}
	return fmt.Sprintf("had in %v; handover %v at most", first.Round(time.Millisecond), longest.Round(time.Millisecond))
}

// tryBoth has both hosts take it as often as they can.
func tryBoth(t *testing.T, s *scene, at [2]string) string {
	name := s.fresh(t).name
	var both [2]*told
	for i := range both {
		both[i] = s.clients[i].tell(t, order{Do: "turns", Path: path.Join(at[i], name), Rounds: 10000, Past: 6 * time.Second, Hold: 5 * time.Millisecond, Wait: time.Minute})
	}
	var n [2]int
	for i, d := range both {
		n[i] = d.end(2 * patience).Count
		if wrong := d.wrong(); n[i] < 1 || wrong != "" {
			t.Errorf("%s had %d turns: %s", d.st.Name, n[i], wrong)
		}
	}
	return fmt.Sprintf("turns %d and %d", n[0], n[1])
}

// tryLoss has the server remove the stamp, and move a lock away.
func tryLoss(t *testing.T, s *scene, at [2]string) string {
	var longest time.Duration
	for _, script := range []string{`rm "$0"/dirlock-*`, `mv "$0" "$0".away`} {
		p := s.fresh(t)
		a := s.clients[0]
		l := a.acquire(t, order{Path: path.Join(at[0], p.name)})
		time.Sleep(1500 * time.Millisecond)
		begin := time.Now()
		s.lab.Server.Must("sh", "-c", script, p.at(s.lab))
		r := l.wait(patience, "the loss", is(toldLost))
		longest = max(longest, a.time(r).Sub(begin))
		a.tell(t, order{Do: "release", Path: l.order.Path}).end(patience)
	}
	if longest > 3*time.Second {
		t.Errorf("a loss was noticed after %v", longest)
	}
	return fmt.Sprintf("loss after %v at most", longest.Round(10*time.Millisecond))
}

// tryDeath has the holder die, on another host than the one that waits.
func tryDeath(t *testing.T, s *scene, at [2]string) string {
	const beat, stale = 500 * time.Millisecond, 4 * time.Second
	name := s.fresh(t).name
	victim := s.employ(t, s.clients[0].Host)
	o := order{Path: path.Join(at[0], name), Heartbeat: beat, Stale: stale, Wait: -1}
	victim.acquire(t, o)
	o.Do, o.Path = "acquire", path.Join(at[1], name)
	d := s.clients[1].tell(t, o)
	time.Sleep(stale)
	if _, ok := d.look(0, is(toldAcquired, toldFailed)); ok {
		t.Error("a living holder's lock was taken over")
	}
	killed := time.Now()
	if err := victim.proc.Kill(); err != nil {
		t.Error(err)
	}
	<-victim.gone
	s.ledger.ended(victim, killed)
	took := s.clients[1].time(d.had(patience)).Sub(killed)
	s.clients[1].release(t, d)
	if took > repaired(beat, stale) {
		t.Errorf("had again %v after the holder's death", took)
	}
	return fmt.Sprintf("had again %v after a death (Stale %v)", took.Round(10*time.Millisecond), stale)
}
