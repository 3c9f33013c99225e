package chaos

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A process is a witness that runs somewhere.
type process interface {
	Signal(syscall.Signal) error
	Wait(context.Context) (code int, err error)
	io.Writer // its input
	Output() io.Reader
	Errors() io.Reader
}

// A hearing is where all witnesses are heard. What they tell is kept as they told it until it is judged.
type hearing struct {
	begun time.Time

	mu      sync.Mutex
	procs   map[string]*witness
	order   []heard
	clocks  map[string]*Clock // by run of a kernel
	steps   []Step
	outages []Moment
	notes   []Record // what was done
	problem []string // what must not happen to the trial itself
}

// heard is a record, with who told it.
type heard struct {
	by *witness
	Record
}

// A witness is one process, from its start to its end.
type witness struct {
	Proc
	name string
	role string
	boot string // whose clock it reads
	proc process
	said sync.WaitGroup // until it has been heard to its end

	ended bool // it was told to end

	asked []time.Duration // when it was asked for the time, as long as it has not answered
}

func newHearing() *hearing {
	return &hearing{begun: time.Now(), procs: map[string]*witness{}, clocks: map[string]*Clock{}}
}

func (h *hearing) now() time.Duration { return time.Since(h.begun) }

// listen hears a process that was just started. Its host's kernel has the clock that goes by the name boot.
func (h *hearing) listen(name, role, host, boot string, p process) *witness {
	w := &witness{Proc: Proc{Host: host}, name: name, role: role, boot: boot, proc: p}
	h.mu.Lock()
	h.procs[name] = w
	if h.clocks[boot] == nil {
		h.clocks[boot] = &Clock{}
	}
	h.mu.Unlock()
	w.said.Go(func() {
		for lines := bufio.NewScanner(p.Output()); lines.Scan(); {
			h.hear(w, lines.Text())
		}
	})
	w.said.Go(func() {
		if text, _ := io.ReadAll(p.Errors()); len(text) > 0 {
			h.wrong("%s said: %s", name, text)
		}
	})
	return w
}

func (h *hearing) hear(w *witness, line string) {
	at := h.now()
	r, err := Parse(line)
	if err != nil {
		h.wrong("%s: %v", w.name, err)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch r.Kind {
	case Clocked:
		if len(w.asked) > 0 {
			h.clocks[w.boot].Add(w.asked[0], r.At.To, at)
			w.asked = w.asked[1:]
		}
		return
	case Hello:
		w.ID, w.Kernel, _ = strings.Cut(r.Text, " ")
	}
	r.Who = w.name
	h.order = append(h.order, heard{w, r})
}

// askTime has a witness tell the time.
func (h *hearing) askTime(w *witness) {
	h.mu.Lock()
	w.asked = append(w.asked, h.now())
	h.mu.Unlock()
	io.WriteString(w.proc, wordClock+"\n")
}

// wrong remembers that something happened to the trial that must not.
func (h *hearing) wrong(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.problem = append(h.problem, fmt.Sprintf("%8.3fs ", h.now().Seconds())+fmt.Sprintf(format, args...))
}

// kill kills a witness, and waits for its end.
func (h *hearing) kill(w *witness) {
	from := h.now()
	h.died(w, from, 0) // before: its end may be noticed at once
	w.proc.Signal(syscall.SIGKILL)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if _, err := w.proc.Wait(ctx); errors.Is(err, context.DeadlineExceeded) {
		h.wrong("%s does not die", w.name)
	}
	h.died(w, from, h.now())
}

// died notes when a witness died: as long as to is 0, it is dying.
func (h *hearing) died(w *witness, from, to time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if to == 0 {
		to = from + time.Hour
	}
	if w.Died {
		from = min(from, w.Death.From)
	}
	w.Died, w.Death = true, Moment{from, to}
}

// holder is who holds a lock, as far as was heard; nil if nobody does.
func (h *hearing) holder(lock string) *witness {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := len(h.order) - 1; i >= 0; i-- {
		r := h.order[i]
		switch {
		case r.Lock != lock || r.by.role != "worker":
		case (r.Kind == Enter || r.Kind == Alive || r.Kind == Checked) && !r.by.Died:
			return r.by
		case r.Kind == Leave || r.Kind == Lost:
			return nil
		}
	}
	return nil
}

// trial is all that was heard until now, in the machine's time.
func (h *hearing) trial(s Settings) Trial {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := Trial{Settings: s, Procs: map[string]Proc{}, Steps: h.steps, Outages: h.outages, End: h.now()}
	for name, w := range h.procs {
		t.Procs[name] = w.Proc
	}
	for _, r := range h.order {
		clock := h.clocks[r.by.boot]
		if !clock.Known() {
			continue
		}
		r.At = clock.Machine(r.At)
		if r.by.role == "watch" {
			t.Watch = append(t.Watch, r.Record)
		} else {
			t.Records = append(t.Records, r.Record)
		}
	}
	return t
}
