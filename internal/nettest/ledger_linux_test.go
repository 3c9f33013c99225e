package nettest

import (
	"fmt"
	"path"
	"slices"
	"sync"
	"testing"
	"time"
)

// A holding is the time from when an Acquire had returned until the lock's context ended, or Release was about to be called.
type holding struct {
	station     *station
	lock, who   string
	from, until time.Time
	doubt       time.Duration // about either end
}

// A ledger has all holdings of all workers. A lock goes by the last element of its path, which is the same on every mount.
type ledger struct {
	mu   sync.Mutex
	open map[string]*holding // by worker and lock
	all  []*holding
}

func (l *ledger) add(st *station, r report, at time.Time, doubt time.Duration) {
	if r.Path == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	lock := path.Base(r.Path)
	key := fmt.Sprintf("%p %s", st, r.Path)
	switch r.What {
	case toldAcquired:
		h := &holding{station: st, lock: lock, who: st.Name, from: at, doubt: doubt}
		if l.open == nil {
			l.open = map[string]*holding{}
		}
		l.open[key] = h
		l.all = append(l.all, h)
	case toldLost, toldReleasing:
		if h := l.open[key]; h != nil {
			h.until = at
			delete(l.open, key)
		}
	}
}

// ended tells that what the worker held it does not hold any more: its host lost its power then, say.
func (l *ledger) ended(st *station, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, h := range l.open {
		if h.station == st {
			h.until = at
			delete(l.open, key)
		}
	}
}

// check fails the test if anybody held a lock at the same time as another, and returns how many holdings there were.
func (l *ledger) check(t *testing.T) int {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, o := range overlaps(l.all) {
		t.Errorf("two holders of %s: %s", o[0].lock, describe(o))
	}
	return len(l.all)
}

// overlaps finds the pairs that held one lock at the same time, with neighbours in the order of their beginning compared: of
// more than two, not all pairs. What is open still is held.
func overlaps(all []*holding) (pairs [][2]*holding) {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b *holding) int {
		if a.lock != b.lock {
			if a.lock < b.lock {
				return -1
			}
			return 1
		}
		return a.from.Compare(b.from)
	})
	for i := 1; i < len(sorted); i++ {
		a, b := sorted[i-1], sorted[i]
		if a.lock == b.lock && (a.until.IsZero() || a.until.After(b.from.Add(a.doubt+b.doubt))) {
			pairs = append(pairs, [2]*holding{a, b})
		}
	}
	return pairs
}

func describe(pair [2]*holding) string {
	a, b := pair[0], pair[1]
	until := "for ever"
	if !a.until.IsZero() {
		until = a.until.Sub(a.from).Round(time.Millisecond).String()
	}
	return fmt.Sprintf("%s since %s, for %s; %s %v later (give or take %v)", a.who, a.from.Format("05.000"), until,
		b.who, b.from.Sub(a.from).Round(time.Millisecond), (a.doubt + b.doubt).Round(time.Microsecond))
}
