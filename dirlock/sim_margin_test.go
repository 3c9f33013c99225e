package dirlock

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/faultfs"
	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// terms are pairs of settings, from the shortest that are allowed to the longest.
var terms = []struct{ heartbeat, stale time.Duration }{
	{10 * time.Millisecond, 30 * time.Millisecond},
	{10 * time.Millisecond, time.Second},
	{100 * time.Millisecond, 300 * time.Millisecond},
	{300 * time.Millisecond, 2 * time.Second},
	{time.Second, 3 * time.Second},
	{time.Second, 30 * time.Second},
	{10 * time.Second, time.Minute},
	{10 * time.Second, time.Hour},
	{20 * time.Minute, time.Hour},
}

// outages are the ways in which no beat counts any more, from a moment on. Where a call takes long, it takes so long.
var outages = map[string]func(p *simProc, long time.Duration) fault{
	"fail":             func(*simProc, time.Duration) fault { return every("touch", fail(syscall.EIO)) },
	"hang":             func(_ *simProc, long time.Duration) fault { return every("touch", slow(long, 0)) },
	"answer late":      func(_ *simProc, long time.Duration) fault { return every("touch", slow(0, long)) },
	"answer wrongly":   func(*simProc, time.Duration) fault { return every("touch", unheard(syscall.ETIMEDOUT)) },
	"cannot be seen":   func(*simProc, time.Duration) fault { return every("stat dirlock-1", fail(syscall.ESTALE)) },
	"are seen to fail": func(p *simProc, _ time.Duration) fault { p.lies.onStat(standstill()); return nil },
}

// standstill is a mount on which no time moves any more.
func standstill() func(string, fsys.Info) fsys.Info {
	at := map[string]time.Time{}
	return func(path string, info fsys.Info) fsys.Info {
		if _, seen := at[path]; !seen {
			at[path] = info.Mtime
		}
		info.Mtime = at[path]
		return info
	}
}

// Whatever the settings, however beats come to nothing, and from whatever moment: when another host takes over, the holder's
// context has ended, and that by the margin before it.
func TestSimMargin(t *testing.T) {
	for _, set := range terms {
		if testing.Short() && set.stale >= time.Hour {
			continue
		}
		for what, outage := range outages {
			name := fmt.Sprintf("%v of %v/%s", set.heartbeat, set.stale, what)
			t.Run(name, func(t *testing.T) {
				seeds := uint64(20)
				switch {
				case set.stale >= time.Hour: // whose waiters look very often
					seeds = 1
				case testing.Short():
					seeds = 5
				}
				for seed := range seeds {
					bubble(t, func(t *testing.T, s *sim) {
						m := margin{sim: s, rand: rand.New(rand.NewPCG(seed, 1)), heartbeat: set.heartbeat, stale: set.stale}
						m.run(outage)
					})
				}
			})
		}
	}
}

// A margin is one scene.
type margin struct {
	*sim
	rand             *rand.Rand
	heartbeat, stale time.Duration

	mu    sync.Mutex
	ended time.Time // when the holder's context did
	taken time.Time // when another one sent the first call that removes its stamp
}

func (m *margin) draw(limit time.Duration) time.Duration {
	return time.Duration(m.rand.Int64N(int64(limit)))
}

func (m *margin) run(outage func(*simProc, time.Duration) fault) {
	m.server.Tick = []time.Duration{0, time.Millisecond, 4 * time.Millisecond}[m.rand.IntN(3)]
	a, b := m.proc("one"), m.proc("two")
	for _, p := range []*simProc{a, b} { // by NFS, by SMB, on the server itself
		switch m.rand.IntN(3) {
		case 0:
			p.client.Kind.Local = false
		case 1:
			onSMB(p.client, m.draw(time.Hour)-30*time.Minute)
		}
	}
	l := m.acquire(a)
	a.enter(l)
	context.AfterFunc(l.Context(), func() { m.note(&m.ended) })
	time.Sleep(m.draw(m.stale))
	a.on(outage(a, m.stale/3+m.draw(2*m.stale)))
	stamp := l.Stamp().Name()
	time.Sleep(m.draw(m.heartbeat))
	b.on(every("unlink "+stamp, func(faultfs.Op) (func(error) error, error) {
		if l.Context().Err() == nil {
			m.t.Error("its stamp is about to be removed, and its context lives")
		}
		m.note(&m.taken)
		return nil, nil
	}))
	next := m.acquire(b)
	b.enter(next)
	m.mu.Lock()
	gap := m.taken.Sub(m.ended)
	m.mu.Unlock()
	if least := m.stale/3 - m.server.Tick - 2*time.Microsecond; gap < least || gap > time.Hour+2*m.stale {
		m.t.Errorf("taken over %v after the end of the context, want %v at least", gap, least)
	}
	time.Sleep(m.draw(m.stale))
	_ = l.Release()
	time.Sleep(3 * m.stale) // what hung has come back then, and harms nobody
	b.sound(next)
}

func (m *margin) note(at *time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if at.IsZero() {
		*at = time.Now()
	}
}

// acquire takes the lock on the terms of the scene.
func (m *margin) acquire(p *simProc) *Lock {
	mutex := p.mutex()
	mutex.Heartbeat, mutex.Stale, mutex.Wait = m.heartbeat, m.stale, 10*m.stale+time.Hour
	l, err := mutex.Acquire(context.Background())
	m.must(err)
	return l
}
