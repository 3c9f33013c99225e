package notify

import "sync"

// Backends are the sources that there are on this system, by name.
func Backends() (names []string) {
	for name := range backends {
		names = append(names, name)
	}
	return names
}

// A Probe stands between a source and its Dirs.
type Probe struct {
	mu   sync.Mutex
	read int
}

// Hold keeps the source's goroutine from passing on anything until release is called.
func (p *Probe) Hold() (release func()) {
	p.mu.Lock()
	return p.mu.Unlock
}

// Read is how many notices the source has passed on.
func (p *Probe) Read() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.read
}

// DirsOver returns a Dirs that uses this backend alone.
func DirsOver(backend string) (*Dirs, *Probe) {
	p := &Probe{}
	return &Dirs{open: func(report sink) (source, error) {
		return backends[backend](func(id int, n notice) {
			p.mu.Lock()
			p.read++
			p.mu.Unlock()
			report(id, n)
		})
	}}, p
}

type opener = func(sink) (source, error)
