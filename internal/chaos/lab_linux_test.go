package chaos

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/netlab"
	"github.com/aac6cccc/mkdirlock/internal/netlab/wire"
)

// A campaign is a trial in a lab, as it goes on.
type campaign struct {
	*hearing
	t       *testing.T
	lab     *netlab.Lab
	kind    string // of the mounts
	program string
	role    role
	posts   map[string]*post // by host; "" is the server
	over    chan struct{}    // closed when nobody is started any more
	kept    sync.WaitGroup   // those who see to it that all witnesses run
}

// A post is a host with what runs there.
type post struct {
	host *netlab.Host

	mu    sync.Mutex
	boots int
	date  time.Duration // how far it is off
	up    chan struct{} // closed while its directory can be used
	dir   string
	here  map[string]*witness // who runs now, by place, such as "a/2"
}

const trialDir = "/trial"

func newCampaign(t *testing.T, kind string, clients []string, r role) *campaign {
	start := netlab.Start
	if slices.Contains(inUserSpace, kind) {
		start = netlab.Rooms
	}
	lab := start(t, clients...)
	c := &campaign{
		hearing: newHearing(), t: t, lab: lab, kind: kind, role: r, program: lab.BuildTest("github.com/aac6cccc/mkdirlock/internal/chaos"),
		posts: map[string]*post{}, over: make(chan struct{}),
	}
	lab.Server.Must("mkdir", "-m", "777", lab.Share+trialDir)
	for _, host := range append(lab.Clients(), lab.Server) {
		name := host.Name
		if host == lab.Server {
			name = ""
		}
		c.posts[name] = &post{host: host, up: make(chan struct{}), here: map[string]*witness{}}
	}
	var all sync.WaitGroup
	for _, p := range c.posts {
		all.Go(func() { c.open(p) })
	}
	all.Wait()
	return c
}

// open makes a host that has booted ready for witnesses.
func (c *campaign) open(p *post) {
	dir := c.lab.Share
	if p.host != c.lab.Server {
		dir = p.host.Mount(c.kind, mountOptions(c.kind))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dir = dir + trialDir
	p.boots++
	close(p.up)
}

// away is a process of a lab.
type away struct{ *netlab.Process }

func (a away) Write(b []byte) (int, error) { return a.Stdin.Write(b) }
func (a away) Output() io.Reader           { return a.Stdout }
func (a away) Errors() io.Reader           { return a.Stderr }

// keep has a witness run at a place for as long as the campaign goes on, another one when one has ended.
func (c *campaign) keep(place string, host string, name string, seed uint64) {
	c.kept.Go(func() {
		for n := 1; ; n++ {
			p := c.posts[host]
			p.mu.Lock()
			up := p.up
			p.mu.Unlock()
			select {
			case <-c.over:
				return
			case <-up:
			}
			if c.isOver() && name != "watch" {
				return
			}
			w := c.start(p, fmt.Sprintf("%s#%d", place, n), place, name, seed+uint64(n))
			if w == nil {
				continue // the host lost power at this moment
			}
			c.await(p, w)
			p.mu.Lock()
			delete(p.here, place)
			p.mu.Unlock()
		}
	})
}

func (c *campaign) start(p *post, name, place, roleName string, seed uint64) *witness {
	r := c.role
	p.mu.Lock()
	r.Name, r.Dir, r.Seed = roleName, p.dir, seed
	boot := p.boot()
	p.mu.Unlock()
	process, err := p.host.Begin([]string{r.env()}, c.program)
	if err != nil {
		time.Sleep(50 * time.Millisecond)
		return nil
	}
	w := c.listen(name, roleName, p.host.Name, boot, away{process})
	p.mu.Lock()
	p.here[place] = w
	p.mu.Unlock()
	return w
}

// await asks a witness for the time, again and again, until it has ended.
func (c *campaign) await(p *post, w *witness) {
	for {
		c.askTime(w)
		ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
		code, err := w.proc.Wait(ctx)
		cancel()
		if errors.Is(err, context.DeadlineExceeded) {
			continue
		}
		w.said.Wait()
		c.mu.Lock()
		died, ended := w.Died, w.ended
		c.mu.Unlock()
		switch {
		case died || ended && code == 0:
		case errors.Is(err, wire.ErrGone) && p.rebooted(w):
			c.died(w, 0, c.now()) // it was only about to start when its host went off
		case errors.Is(err, wire.ErrGone):
			c.wrong("%s is gone, and its host was not switched off: %v", w.name, err)
		default:
			c.wrong("%s ended with %d", w.name, code)
		}
		return
	}
}

// boot is the name of the run of its kernel. The caller has p.mu.
func (p *post) boot() string { return fmt.Sprintf("%s boot %d", p.host.Name, p.boots) }

// rebooted reports whether its host is off, or was, since a witness was started.
func (p *post) rebooted(w *witness) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.up:
		return p.boot() != w.boot
	default:
		return true
	}
}

func (c *campaign) isOver() bool {
	select {
	case <-c.over:
		return true
	default:
		return false
	}
}

// end has all witnesses of these roles finish what they do, and waits until they have.
func (c *campaign) end(roles ...string) {
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		var left []*witness
		for _, p := range c.posts {
			p.mu.Lock()
			for _, w := range p.here {
				if slices.Contains(roles, w.role) {
					left = append(left, w)
				}
			}
			p.mu.Unlock()
		}
		if len(left) == 0 {
			return
		}
		for _, w := range left {
			c.mu.Lock()
			told := w.ended
			w.ended = true
			c.mu.Unlock()
			if !told {
				io.WriteString(w.proc, wordEnd+"\n")
			}
			if time.Now().After(end) {
				c.wrong("%s does not end", w.name)
				w.proc.Signal(syscall.SIGQUIT)
			}
		}
		if time.Now().After(end) {
			time.Sleep(time.Second)
			return
		}
	}
}
