//go:build unix

package runner

import (
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// The terminal. Its driver sends what is typed (INT, QUIT, TSTP), hang-ups and window changes to the foreground group
// alone, so there is one way for each signal: to the command when its group has the terminal, to this process, which
// passes it on, when its own has it. Where nobody else may want the terminal the command has it from the start; elsewhere
// (a script, a pipeline with a pager) from the moment it asks, which is when the kernel stops it for that.

func (r *running) hasTerminal() bool { return r.tty.owner() == int(r.group) }

// handOver gives the command's group the terminal if it is ours to give.
func (r *running) handOver() {
	if r.tty.owner() != r.own {
		return
	}
	r.withoutTTOU(func() { r.gave = r.tty.give(int(r.group)) == nil })
	r.sent = 0 // what is typed from here on does not come through us
}

// takeBack undoes handOver. Whoever else has the terminal by now keeps it, unless that group is gone: a command that
// controls jobs of its own leaves it so when it is killed.
func (r *running) takeBack() {
	if !r.gave {
		return
	}
	r.gave = false
	owner := r.tty.owner()
	if owner == r.own || owner > 1 && owner != int(r.group) && group(owner).alive() {
		return
	}
	r.withoutTTOU(func() { r.tty.give(r.own) })
}

// stopped deals with a command that was stopped by sig.
func (r *running) stopped(sig syscall.Signal) {
	if r.out.Lost != nil {
		r.group.send(unix.SIGCONT) // it has a signal to die of
		return
	}
	wants, has := sig == unix.SIGTTIN || sig == unix.SIGTTOU, r.hasTerminal()
	if wants && r.tty.owner() == r.own {
		r.handOver()
		r.group.send(unix.SIGCONT)
		return
	}
	if !wants && !has && r.sent != sig {
		// Somebody stopped the command by its pid, and will continue it so. Whoever watches a job of a shell sees us run,
		// and who else wants the lock sees it kept.
		return
	}
	r.again = has || wants
	r.takeBack()
	r.halt(sig, sig != unix.SIGSTOP && r.sent != sig)
}

// halt stops this process by sig, for the shell to see. With all, what the terminal would have stopped together with the
// command without the detour stops too: a script's shell, a pipeline's other members.
func (r *running) halt(sig syscall.Signal, all bool) {
	r.halted, r.awake = true, 0
	if sig != unix.SIGSTOP {
		signal.Ignore(sig) // until resume
	}
	if all {
		unix.Kill(0, sig)
	}
	haltSelf(sig)
}

// tick notices a stop signal to oneself that does not stop. The kernel discards those of a terminal in an orphaned group,
// where it would have discarded the command's as well: then the command goes on. A process that was stopped comes back to
// one tick at most.
func (r *running) tick() {
	const enough = 5
	if r.halted {
		if r.awake++; r.awake >= enough {
			r.resume()
		}
	}
}

// resume continues the command, now that somebody continued this process. While it was stopped nobody kept the lock fresh.
func (r *running) resume() {
	if r.halted {
		r.halted = false
		r.catchStops()
	}
	if r.out.Lost != nil || r.ended && !r.alive() {
		return
	}
	r.lock.Check() // a loss ends the context, and so reaches the loop; it blocks while a lapsed lock is taken anew
	if r.lock.Context().Err() != nil {
		return
	}
	if r.again || r.gave || alone() {
		r.handOver()
	}
	r.again = false
	r.group.send(unix.SIGCONT)
}
