package dirlock

import (
	"maps"
	"time"
)

// A memory is what an acquisition of this process that gave up had seen of the stamps that were in its way.
type memory struct {
	watched map[string]watch // by the names of stamps
	at      time.Duration    // Mono
}

// forgetEvery is how often memories that are too old to be of use are looked for.
const forgetEvery = time.Minute

// remember leaves what this acquisition saw for the next one of this process, which still has to confirm it: callers that
// wait for less than Stale must be able to win where an age can only be observed. There is one memory a path, of what was
// there at the last look; who got the lock leaves none. So a busy lock, with a new stamp every moment, fills nothing.
func (a *acquisition) remember() {
	now := a.Clock.Mono()
	a.process.mu.Lock()
	defer a.process.mu.Unlock()
	if now-a.forgot > forgetEvery {
		a.forgot = now
		maps.DeleteFunc(a.memories, func(_ string, m memory) bool { return now-m.at > longestStale })
	}
	if len(a.watched) == 0 && !a.notes.holds { // it never came to look
		return
	}
	delete(a.memories, a.path)
	if a.notes.holds {
		return
	}
	if len(a.memories) >= mostMemories {
		a.forgetOldest()
	}
	m := memory{map[string]watch{}, now}
	for name, w := range a.watched {
		m.watched[name] = *w
	}
	a.memories[a.path] = m
}

// mostMemories is how many paths are remembered.
const mostMemories = 1000

// forgetOldest makes room. The caller holds the process's mutex.
func (p *process) forgetOldest() {
	oldest, at := "", time.Duration(0)
	for path, m := range p.memories {
		if oldest == "" || m.at < at || m.at == at && path < oldest {
			oldest, at = path, m.at
		}
	}
	delete(p.memories, oldest)
}

// recall returns what an earlier acquisition of this process saw of a stamp, or of the directory ("").
func (a *acquisition) recall(name string) *watch {
	a.process.mu.Lock()
	defer a.process.mu.Unlock()
	w := a.memories[a.path].watched[name]
	return &w
}
