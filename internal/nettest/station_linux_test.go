package nettest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/netlab"
)

// patience is how long a test waits for what is sure to come.
const patience = time.Minute

// A station is the worker on a host, as the tests see it. Its methods may be called from many goroutines.
type station struct {
	*netlab.Host
	scene *scene
	proc  *netlab.Process

	mu     sync.Mutex
	count  int
	orders map[int]*told
	zero   time.Time     // the worker's clock at 0, on this machine's
	doubt  time.Duration // by so much at most that is wrong
	gone   chan struct{} // closed when the worker says nothing any more
}

// told is an order and what has come of it.
type told struct {
	t       *testing.T
	st      *station
	order   order
	mu      sync.Mutex
	reports []report
	news    chan struct{} // closed and made anew with every report
}

// employ starts a worker on the host.
func (s *scene) employ(t *testing.T, h *netlab.Host) *station {
	t.Helper()
	st := &station{Host: h, scene: s, orders: map[int]*told{}, gone: make(chan struct{})}
	st.proc = h.Start([]string{asWorker + "=1"}, s.program)
	go st.listen()
	st.doubt = time.Hour
	for range 10 { // the quickest answer says best what time it is there
		sent := time.Now()
		r := st.tell(t, order{Do: "ping"}).end(patience)
		if took := time.Since(sent); took/2 < st.doubt {
			st.mu.Lock()
			st.zero, st.doubt = sent.Add(took/2-time.Duration(r.At)), took/2
			st.mu.Unlock()
		}
	}
	return st
}

// tell gives the worker an order and does not wait.
func (st *station) tell(t *testing.T, o order) *told {
	t.Helper()
	st.mu.Lock()
	st.count++
	o.N = st.count
	d := &told{t: t, st: st, order: o, news: make(chan struct{})}
	st.orders[o.N] = d
	st.mu.Unlock()
	line, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(st.proc.Stdin, "%s\n", line); err != nil {
		t.Fatalf("%s: %+v: %v", st.Name, o, err)
	}
	return d
}

func (st *station) listen() {
	defer close(st.gone)
	go io.Copy(io.Discard, st.proc.Stderr)
	for lines := bufio.NewScanner(st.proc.Stdout); lines.Scan(); {
		var r report
		if json.Unmarshal(lines.Bytes(), &r) != nil {
			continue // the first words of a panic, say; the worker is about to be gone
		}
		st.mu.Lock()
		d := st.orders[r.N]
		zero, doubt := st.zero, st.doubt
		st.mu.Unlock()
		st.scene.ledger.add(st, r, zero.Add(time.Duration(r.At)), doubt)
		d.mu.Lock()
		d.reports = append(d.reports, r)
		close(d.news)
		d.news = make(chan struct{})
		d.mu.Unlock()
	}
}

// time is when that was reported, on this machine's clock.
func (st *station) time(r report) time.Time {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.zero.Add(time.Duration(r.At))
}

// wait waits for a report that matches, and fails the test if none comes.
func (d *told) wait(bound time.Duration, what string, match func(report) bool) report {
	d.t.Helper()
	r, ok := d.look(bound, match)
	if !ok {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.t.Fatalf("%s: %s %s: not within %v: %s; told: %+v", d.st.Name, d.order.Do, d.order.Path, bound, what, d.reports)
	}
	return r
}

// look waits for a report that matches, and reports whether one came.
func (d *told) look(bound time.Duration, match func(report) bool) (report, bool) {
	timer := time.NewTimer(bound)
	defer timer.Stop()
	for seen, gone := 0, false; ; {
		d.mu.Lock()
		reports, news := d.reports, d.news
		d.mu.Unlock()
		for ; seen < len(reports); seen++ {
			if match(reports[seen]) {
				return reports[seen], true
			}
		}
		if gone {
			return report{}, false
		}
		select {
		case <-news:
		case <-d.st.gone:
			gone = true // and one more look
		case <-timer.C:
			gone = true
		}
	}
}

// wrong is what of the order has gone wrong so far.
func (d *told) wrong() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range d.reports {
		if r.Err != "" {
			return r.What + ": " + r.Err
		}
	}
	return ""
}

func is(words ...string) func(report) bool {
	return func(r report) bool {
		return slices.Contains(words, r.What)
	}
}

// end waits for the answer.
func (d *told) end(bound time.Duration) report {
	d.t.Helper()
	ends := is(toldDone)
	switch d.order.Do {
	case "acquire", "try":
		ends = is(toldAcquired, toldFailed)
	case "release":
		ends = is(toldReleased)
	}
	return d.wait(bound, "an answer", ends)
}

// had waits for the lock, and fails the test if it is refused.
func (d *told) had(bound time.Duration) report {
	d.t.Helper()
	r := d.wait(bound, "the lock", is(toldAcquired, toldFailed))
	if r.What == toldFailed {
		d.t.Fatalf("%s: %s: %s", d.st.Name, d.order.Path, r.Err)
	}
	return r
}

// acquire takes the lock on the terms of o, and fails the test if that takes long.
func (st *station) acquire(t *testing.T, o order) *told {
	t.Helper()
	o.Do = "acquire"
	d := st.tell(t, o)
	d.had(patience)
	return d
}

// release gives back what an order has acquired.
func (st *station) release(t *testing.T, d *told) report {
	t.Helper()
	r := st.tell(t, order{Do: "release", Path: d.order.Path}).end(patience)
	if r.Err != "" {
		t.Errorf("%s: release of %s: %s", st.Name, d.order.Path, r.Err)
	}
	return r
}

// watched ends what "watch" has begun, and returns what it saw.
func (st *station) watched(t *testing.T, path string) report {
	t.Helper()
	st.mu.Lock()
	var watch *told
	for _, d := range st.orders {
		if d.order.Do == "watch" && d.order.Path == path && (watch == nil || d.order.N > watch.order.N) {
			watch = d
		}
	}
	st.mu.Unlock()
	st.tell(t, order{Do: "unwatch", Path: path})
	return watch.end(patience)
}
