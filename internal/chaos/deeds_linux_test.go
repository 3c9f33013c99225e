package chaos

import (
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// suffer does all that the schedule says, each at its time.
func (c *campaign) suffer(events []Event) {
	var all sync.WaitGroup
	hosts := map[string][]Event{} // one thing after the other
	for _, e := range events {
		if e.Do == Kill || e.Do == Stop {
			all.Go(func() {
				time.Sleep(e.At - c.now())
				c.process(e)
			})
		} else {
			hosts[e.Whom] = append(hosts[e.Whom], e)
		}
	}
	for _, list := range hosts {
		all.Go(func() {
			for _, e := range list {
				time.Sleep(e.At - c.now())
				if c.now()-e.At > time.Second {
					continue // what came before took so long: lulls must stay lulls
				}
				c.host(c.posts[e.Whom], e)
			}
		})
	}
	all.Wait()
}

func (c *campaign) process(e Event) {
	w := c.find(e.Whom)
	if w == nil {
		return // nobody holds, or the host is off
	}
	c.note(e, w.name)
	if e.Do == Kill {
		c.kill(w)
		return
	}
	if w.proc.Signal(syscall.SIGSTOP) == nil {
		time.Sleep(e.For)
		w.proc.Signal(syscall.SIGCONT)
	}
}

func (c *campaign) find(whom string) *witness {
	if lock, ok := strings.CutPrefix(whom, "holder of "); ok {
		return c.holder(lock)
	}
	host, _, _ := strings.Cut(whom, "/")
	p := c.posts[host]
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.here[whom]
}

func (c *campaign) host(p *post, e Event) {
	c.note(e, "")
	from := c.now()
	switch e.Do {
	case Cut:
		p.host.Cut()
		time.Sleep(e.For)
		p.host.Heal()
	case Power:
		c.off(p, e.For)
	case Date:
		p.host.Clock(e.For)
		p.date += e.For
		c.stepped(p, from, e.For)
	case Loss:
		p.host.Netem("loss", "33%")
		time.Sleep(e.For)
		p.host.Netem()
	case Mute:
		p.host.Netem("loss", "100%")
		time.Sleep(e.For)
		p.host.Netem()
	case Unsaid:
		if slices.Contains(inUserSpace, c.kind) {
			p.host.LoseReplies(true)
			time.Sleep(e.For)
			p.host.LoseReplies(false)
			break
		}
		p.host.Netem("loss", "100%")
		time.Sleep(e.For)
		c.off(p, 300*time.Millisecond)
	}
	c.note(e, "over")
}

// off has a host without power for a while, and then up again.
func (c *campaign) off(p *post, down time.Duration) {
	p.mu.Lock()
	p.up = make(chan struct{})
	var victims []*witness
	for _, w := range p.here {
		victims = append(victims, w)
	}
	p.mu.Unlock()
	from := c.now()
	for _, w := range victims {
		c.died(w, from, 0)
	}
	p.host.PowerOff()
	off := c.now()
	for _, w := range victims {
		c.died(w, from, off)
	}
	time.Sleep(down)
	on := c.now()
	p.host.Boot()
	c.stepped(p, off, -p.date) // it reads the machine's date when it boots
	p.date = 0
	if p.host == c.lab.Server {
		c.mu.Lock()
		c.outages = append(c.outages, Moment{off, on})
		c.mu.Unlock()
		if !slices.Contains(inUserSpace, c.kind) && down.Milliseconds()%2 == 0 { // else clients can create and remove nothing before the lease is over
			p.host.EndGrace()
		}
	}
	c.open(p)
}

// stepped remembers that a host's date was changed, at some time since from; it matters if that is the server's.
func (c *campaign) stepped(p *post, from, by time.Duration) {
	if p.host != c.lab.Server || by == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.steps = append(c.steps, Step{Moment{from, time.Since(c.begun)}, by})
}

// note keeps what was done among what was told.
func (c *campaign) note(e Event, more string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := e.String()
	if more != "" {
		text += ": " + more
	}
	c.notes = append(c.notes, Record{At: At(time.Since(c.begun)), Who: "fault", Kind: Kind(e.Do), Text: text})
}
