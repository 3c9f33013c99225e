package proptest

import (
	"cmp"
	"fmt"
	"strconv"
	"syscall"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/kernel"
	"github.com/aac6cccc/mkdirlock/internal/simkernel"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// boot starts a host's kernel, with an empty memory of what is shared.
func (w *World) boot(h *Host) {
	h.boots++
	var id [16]byte
	model := h.name
	if h.boots == 1 { // a clone that starts again is one no more
		model = cmp.Or(h.like, h.name)
	}
	copy(id[:], fmt.Sprintf("%s boot %d", model, h.boots))
	h.machine = simkernel.New(id, h.name)
	h.booted, h.ticks = time.Now(), uint64(len(w.hosts))*100_000 // so that a clone does not start its processes when its model did
	h.machine.Advance(h.ticks)
	h.spaces = map[string]*simkernel.Namespace{}
	h.mount = w.mount(h)
}

// space is a pid namespace of the host's: "" is the initial one, any other is a container's.
func (h *Host) space(name string) (*simkernel.Namespace, error) {
	if name == "" {
		return h.machine.Initial(), nil
	}
	if ns := h.spaces[name]; ns != nil {
		return ns, nil
	}
	ns := h.machine.Initial().Child()
	h.spaces[name] = ns
	_, err := ns.Spawn(simkernel.Spec{}) // its init, which only reaps
	h.tick()
	return ns, err
}

// tick lets the kernel's clock catch up. No two processes start in one tick, so that a number that is used again is told apart, as
// it is where numbers are not used again within 10 ms.
func (h *Host) tick() {
	ticks := max(h.ticks+1, uint64(time.Since(h.booted)/(10*time.Millisecond)))
	h.machine.Advance(ticks - h.ticks)
	h.ticks = ticks
}

// enroll gives a process its place in the kernel: [ns=NAME] [pid=N] [uid=N] [proc=host: /proc is the initial namespace's;
// none: it is empty; hidden: it does not show other users' processes] [deny=kill: what a seccomp profile refuses]
// [group=1: a process group works under its locks].
func (w *World) enroll(p *Proc, o map[string]string) error {
	if kernel.Ask == nil {
		return fmt.Errorf("on this system the lock asks another kernel than the simulated one")
	}
	h := p.host
	h.tick()
	ns, err := h.space(o["ns"])
	if err != nil {
		return err
	}
	spec := simkernel.Spec{}
	for key, to := range map[string]*int{"pid": &spec.PID, "uid": &spec.UID} {
		if s := o[key]; s != "" {
			if *to, err = strconv.Atoi(s); err != nil {
				return err
			}
		}
	}
	switch o["proc"] {
	case "host":
		spec.Mount = &simkernel.Mount{Of: h.machine.Initial()}
	case "none":
		spec.Mount = &simkernel.Mount{}
	case "hidden":
		spec.Mount = &simkernel.Mount{Of: ns, Hide: simkernel.Invisible}
	}
	if p.task, err = ns.Spawn(spec); err != nil {
		return err
	}
	deny := o["deny"]
	p.sys = p.task.View(func(call, _ string) error {
		if deny != "" && call == deny {
			return syscall.EPERM
		}
		return nil
	})
	p.id = kernel.Identify(p.sys, p.task.PID()).(stamp.Identity)
	p.id.Host = h.name
	if o["group"] == "" {
		return nil
	}
	h.tick()
	if p.group, err = ns.Spawn(simkernel.Spec{Parent: p.task, UID: spec.UID, Mount: spec.Mount}); err != nil {
		return err
	}
	p.mutex.Group = p.group.PID()
	return p.group.SetGroup(p.group)
}

// ask runs the question that ships, on the simulated kernel.
func (p *Proc) ask(id stamp.Identity, s stamp.Stamp) stamp.Evidence {
	return kernel.Ask(p.sys, id, s).(stamp.Evidence)
}

// askAcross runs the question about other namespaces that ships, as ask.
func (p *Proc) askAcross(id stamp.Identity, s stamp.Stamp) stamp.Evidence {
	return kernel.AskAcross(p.sys, id, s).(stamp.Evidence)
}

// gone reports whether a process can do nothing any more, nor can the group that worked under its locks.
func (p *Proc) gone() bool {
	return p.dead && (p.group == nil || p.group.State() >= simkernel.Zombie)
}
