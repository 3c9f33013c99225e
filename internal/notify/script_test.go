package notify

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"
)

// script is a source whose calls answer when the test wants them to.
type script struct {
	report sink
	answer map[string]chan int // an add of such a path waits; others are answered by their length at once

	dropping chan struct{} // if not nil, a drop waits for it

	mu     sync.Mutex
	calls  []string
	once   sync.Once
	closed chan struct{} // by the first close: after a break, a second session has the same script
}

func scripted(slow ...string) (*Dirs, *script) {
	s := &script{answer: map[string]chan int{}, closed: make(chan struct{})}
	for _, path := range slow {
		s.answer[path] = make(chan int)
	}
	return &Dirs{open: func(report sink) (source, error) {
		s.report = report
		return s, nil
	}}, s
}

func (s *script) note(call string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, call)
}

func (s *script) did(call string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.calls, call)
}

func (s *script) add(path string) (int, error) {
	s.note("add " + path)
	id := len(path)
	if c, slow := s.answer[path]; slow {
		id = <-c
	}
	if id == 0 {
		return 0, errors.New("no")
	}
	return id, nil
}

func (s *script) drop(id int) {
	s.note("drop " + string(rune('0'+id)))
	if s.dropping != nil {
		<-s.dropping
	}
}

func (s *script) close() { s.once.Do(func() { close(s.closed) }) }

func (s *script) await(t *testing.T, call string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !s.did(call); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("not called: ", call)
		}
	}
}

// slowly begins a Watch whose add hangs until the function that is returned is called with its answer.
func (s *script) slowly(t *testing.T, d *Dirs, path string, wake func()) (answer func(id int) (stop func())) {
	t.Helper()
	stops := make(chan func())
	go func() {
		stop, err := d.Watch(path, wake)
		if err != nil {
			stop = nil
		}
		stops <- stop
	}()
	s.await(t, "add "+path)
	return func(id int) func() {
		s.answer[path] <- id
		return <-stops
	}
}

func watchOne(t *testing.T, d *Dirs, path string, wake func()) (stop func()) {
	t.Helper()
	stop, err := d.Watch(path, wake)
	if err != nil {
		t.Fatal(err)
	}
	return stop
}

func never() {}
