//go:build unix

package runner

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	pollEvery = 100 * time.Millisecond // how often a group without its leader is looked at
	patience  = time.Second            // how long it is waited for without a word
	afterKill = 5 * time.Second        // how long SIGKILL may take; a process that hangs in the kernel takes longer
)

// running is the state while the command runs. One goroutine has it all.
type running struct {
	*Process
	group group
	lock  Lock
	tty   *terminal
	own   int  // this process's group
	gave  bool // the command's group was given the terminal

	out    Outcome
	ended  bool           // the leader has ended; perhaps its group has not
	sent   syscall.Signal // the last signal passed on
	halted bool           // this process has sent itself a stop signal, and was not told to go on since
	awake  int            // ticks that it has lived through all the same
	again  bool           // the command had the terminal when it stopped, or wanted it

	speak, kill, giveUp <-chan time.Time
}

// Run lets the leader become the command and returns when no member of its group is alive any more, or, after a loss, when
// all was done to that end. It must be called at most once, and not after Abandon.
func (p *Process) Run(lock Lock) Outcome {
	r := &running{Process: p, group: group(p.pid), lock: lock, tty: openTerminal(), own: unix.Getpgrp()}
	defer r.tty.close()
	p.catchStops()
	defer signal.Reset(stops...)

	if alone() {
		r.handOver()
	}
	r.loop()
	r.takeBack()
	return r.out
}

// loop returns when there is nothing left to wait for.
func (r *running) loop() {
	changes, started := make(chan unix.WaitStatus, 1), make(chan error, 1)
	r.release()
	go func() { started <- r.refusal() }()
	go r.watch(changes)
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	lost := r.lock.Context().Done()
	var signals chan os.Signal // those that come before the command is there wait for it: the leader knows none of them

	for signals == nil || !r.ended || r.alive() {
		select {
		case r.out.Err = <-started:
			signals = r.signals
		case status := <-changes:
			r.change(status)
		case s := <-signals:
			r.signal(s.(syscall.Signal))
		case <-lost:
			lost = nil
			r.lose(context.Cause(r.lock.Context()))
		case <-poll.C:
			r.tick()
		case <-r.speak:
			r.tell("the command has ended, but its process group %d has not, and keeps the lock: %s", r.group, r.group.describe())
		case <-r.kill:
			r.group.send(unix.SIGKILL)
			r.giveUp = time.After(afterKill)
		case <-r.giveUp:
			r.tell("process group %d is still there after SIGKILL: %s", r.group, r.group.describe())
			return
		}
	}
}

// watch reports every change of the leader, the last of which is its end. It waits for this one child and no other.
func (r *running) watch(changes chan<- unix.WaitStatus) {
	for {
		status, err := r.wait(unix.WUNTRACED)
		changes <- status
		if err != nil || !status.Stopped() {
			return
		}
	}
}

func (r *running) change(status unix.WaitStatus) {
	switch {
	case status.Stopped():
		r.stopped(status.StopSignal())
		return
	case status.Signaled():
		r.out.Signal = status.Signal()
		key := r.out.Signal == unix.SIGINT || r.out.Signal == unix.SIGQUIT
		r.out.typed = key && r.hasTerminal() && r.sent != r.out.Signal
	default:
		r.out.Code = status.ExitStatus()
	}
	r.ended = true
	if r.out.Lost == nil {
		r.speak = time.After(patience)
	}
	r.takeBack() // a shell would have it by now, whatever else the command has left behind
}

// alive reports whether the command's group still needs protection.
func (r *running) alive() bool {
	return r.group.alive() && (r.cmd.Gone == nil || !r.cmd.Gone(int(r.group)))
}

// signal deals with one that was sent to this process.
func (r *running) signal(sig syscall.Signal) {
	switch {
	case sig == unix.SIGCONT:
		r.resume()
	case (sig == unix.SIGTTIN || sig == unix.SIGTTOU) && r.hasTerminal():
		// A sibling, such as the pager at the end of the pipeline, wants the terminal that the command has.
		r.takeBack()
		unix.Kill(0, unix.SIGCONT)
	default:
		r.sent = sig
		r.group.send(sig)
	}
}

// lose ends the command: what it does from here on, it does without protection.
func (r *running) lose(cause error) {
	r.out.Lost, r.speak = cause, nil
	r.group.send(unix.SIGTERM)
	r.group.send(unix.SIGCONT) // a stopped process gets no signal but this and SIGKILL
	r.kill = time.After(r.cmd.Grace)
	r.tell("%v; the command gets SIGTERM, and SIGKILL in %v", cause, r.cmd.Grace)
}

// tell says something, although the terminal may be the command's.
func (r *running) tell(format string, args ...any) {
	r.withoutTTOU(func() { r.cmd.say(format, args...) })
}
