package proptest

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/aac6cccc/mkdirlock/dirlock"
	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/internal/world"
)

// doHost adds a host: "host NAME [wall=2h] [drift=200] [like=OTHER] [mount=smb]".
func (w *World) doHost(a Action) error {
	if w.host(a.On) != nil {
		return fmt.Errorf("there is one already")
	}
	o := options(a.Opt)
	h := &Host{w: w, name: a.On, like: o["like"], kind: w.Config.Mount}
	if s := o["mount"]; s != "" {
		kind, ok := parseMount(s)
		if !ok {
			return fmt.Errorf("what is %q?", s)
		}
		h.kind = kind
	}
	if s := o["wall"]; s != "" {
		d, err := time.ParseDuration(s)
		if err != nil {
			return err
		}
		h.wall = d
	}
	if s := o["drift"]; s != "" {
		n, err := strconv.ParseInt(s, 10, 32)
		if err != nil {
			return err
		}
		h.drift = n
	}
	w.boot(h)
	w.hosts = append(w.hosts, h)
	return nil
}

// doStart starts a process: "start NAME HOST [h=1s] [stale=30s] [mode=770] ...".
func (w *World) doStart(a Action) error {
	if len(a.Opt) == 0 {
		return fmt.Errorf("on which host?")
	}
	h := w.host(a.Opt[0])
	switch {
	case h == nil:
		return fmt.Errorf("no such host")
	case w.process(a.On) != nil:
		return fmt.Errorf("there is one already")
	}
	o := options(a.Opt[1:])
	p := &Proc{w: w, host: h, name: a.On, serial: len(w.procs) + 1, boot: h.boots, guards: 3}
	p.jitter = rand.New(rand.NewPCG(uint64(p.serial), 1))
	p.mutex = dirlock.Mutex{Path: lockPath, Heartbeat: time.Second, Stale: 30 * time.Second}
	for key, to := range map[string]*time.Duration{"h": &p.mutex.Heartbeat, "stale": &p.mutex.Stale} {
		if s := o[key]; s != "" {
			d, err := time.ParseDuration(s)
			if err != nil {
				return err
			}
			*to = d
		}
	}
	if s := o["mode"]; s != "" {
		n, err := strconv.ParseUint(s, 8, 9)
		if err != nil {
			return err
		}
		p.mutex.Mode = fs.FileMode(n)
	}
	if s := o["guards"]; s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			return err
		}
		p.guards = n
	}
	if err := w.enroll(p, o); err != nil {
		return err
	}
	p.clock.start, p.clock.drift = w.trace.began, h.drift
	p.probe = fsys.ProbeName(uuid.NewSHA1(uuid.NameSpaceURL, []byte(p.name)))
	world.Use(&p.mutex, world.NewProcess(p.world()))
	w.mu.Lock()
	w.procs = append(w.procs, p)
	w.mu.Unlock()
	return nil
}
