package simkernel_test

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"syscall"
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/simkernel"
)

type spec = simkernel.Spec

func start0(t *testing.T) (*simkernel.Machine, func(spec) *simkernel.Process) {
	m := simkernel.New([16]byte{1}, "h")
	return m, func(s spec) *simkernel.Process {
		t.Helper()
		p, err := m.Initial().Spawn(s)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
}

func wantErr(t *testing.T, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// One just freed comes last.
func TestNumbersGoRound(t *testing.T) {
	_, spawn := start0(t)
	p := spawn(spec{})
	p.Kill()
	p.Reap()
	if next := spawn(spec{}); next.PID() != p.PID()+1 {
		t.Errorf("%d, then %d", p.PID(), next.PID())
	}
}

// A number is given out again when it names neither a process nor a group, not before.
func TestNumbersAreUsedAgain(t *testing.T) {
	m, spawn := start0(t)
	m.Initial().SetMax(4)
	leader := spawn(spec{})
	member := spawn(spec{Group: leader})
	other := spawn(spec{})
	if leader.PID() != 2 || member.PID() != 3 || other.PID() != 4 {
		t.Fatal(leader.PID(), member.PID(), other.PID())
	}
	full := func(what string, want error) *simkernel.Process {
		t.Helper()
		p, err := m.Initial().Spawn(spec{})
		wantErr(t, what, err, want)
		return p
	}
	full("all taken", syscall.EAGAIN)
	leader.Kill()
	full("a zombie has it", syscall.EAGAIN)
	leader.Reap()
	full("a group has it", syscall.EAGAIN)
	_, err := m.Initial().Spawn(spec{PID: 2})
	wantErr(t, "a group has it", err, syscall.EEXIST)
	member.SetGroup(other)
	m.Advance(5)
	p := full("free", nil)
	if p.PID() != 2 || p.Start() != leader.Start()+5 || leader.State() != simkernel.Gone {
		t.Errorf("pid %d, start %d and %d, the old one %d", p.PID(), p.Start(), leader.Start(), leader.State())
	}
}

func TestSpawnRefuses(t *testing.T) {
	m, spawn := start0(t)
	dead, zombie := spawn(spec{}), spawn(spec{})
	dead.Kill()
	dead.Reap()
	zombie.Kill()
	for want, s := range map[syscall.Errno]spec{syscall.ESRCH: {Parent: zombie}, syscall.EINVAL: {PID: -1}, syscall.EEXIST: {PID: 1}} {
		_, err := m.Initial().Spawn(s)
		wantErr(t, fmt.Sprint(s), err, want)
	}
	_, err := m.Initial().Spawn(spec{Group: dead})
	wantErr(t, "a group that is gone", err, syscall.ESRCH)
	_, err = m.Initial().Child().Spawn(spec{PID: 7})
	wantErr(t, "a first process that is not the first", err, syscall.EINVAL)
	wantErr(t, "killed twice", zombie.Kill(), syscall.ESRCH)
	wantErr(t, "stopped when dead", zombie.Stop(), syscall.ESRCH)
	wantErr(t, "reaped twice", dead.Reap(), syscall.ECHILD)
	wantErr(t, "reaped alive", spawn(spec{}).Reap(), syscall.ECHILD)
	wantErr(t, "grouped when gone", dead.SetGroup(zombie), syscall.ESRCH)

	m.Initial().SetMax(5)
	n := len(m.Processes())
	_, err = m.Initial().Spawn(spec{Threads: 3})
	wantErr(t, "no number for a thread", err, syscall.EAGAIN)
	if len(m.Processes()) != n {
		t.Error("it is there all the same")
	}
	spawn(spec{Threads: 1}) // and its numbers are free
}

// A pid namespace ends with its init.
func TestInitTakesItsNamespaceAlong(t *testing.T) {
	m, spawn := start0(t)
	outside := spawn(spec{})
	ns := m.Initial().Child()
	init, _ := ns.Spawn(spec{Parent: outside})
	inner, _ := ns.Child().Spawn(spec{Parent: init})
	worker, _ := ns.Spawn(spec{Parent: init, Threads: 2})
	if init.PID() != 1 || inner.PID() != 1 || inner.PIDIn(ns) == 0 || inner.PIDIn(m.Initial()) == 0 || outside.PIDIn(ns) != 0 {
		t.Fatal(init.PID(), inner.PID(), inner.PIDIn(ns), inner.PIDIn(m.Initial()), outside.PIDIn(ns))
	}
	seen := worker.PIDIn(m.Initial())
	wantErr(t, "seen from outside", outside.View(nil).Kill(seen), nil)
	init.Kill()
	wantErr(t, "the worker", outside.View(nil).Kill(seen), syscall.ESRCH)
	if s := []simkernel.State{init.State(), inner.State(), worker.State(), outside.State()}; !slices.Equal(s, []simkernel.State{simkernel.Zombie, simkernel.Gone, simkernel.Gone, simkernel.Running}) {
		t.Error(s)
	}
	_, err := ns.Spawn(spec{})
	wantErr(t, "after init", err, syscall.ENOMEM)
	if procs := m.Processes(); len(procs) != 3 || procs[1] != outside || procs[2] != init {
		t.Error(len(procs), "are left")
	}
}

func TestHandlesAreCounted(t *testing.T) {
	m, spawn := start0(t)
	p := spawn(spec{})
	sys := p.View(nil)
	fd, err := sys.Pidfd(p.PID())
	wantErr(t, "pidfd_open", err, nil)
	proc, err := sys.Proc()
	wantErr(t, "/proc", err, nil)
	if m.Handles() != 2 {
		t.Error(m.Handles())
	}
	p.Kill()
	if !fd.Readable() {
		t.Error("not readable")
	}
	wantErr(t, "close", errors.Join(fd.Close(), proc.Close()), nil)
	wantErr(t, "closed twice", fd.Close(), syscall.EBADF)
	_, err = proc.ReadFile("self/stat")
	wantErr(t, "read when closed", err, fs.ErrClosed)
	_, err = proc.Names()
	wantErr(t, "listed when closed", err, fs.ErrClosed)
	if m.Handles() != 0 || fd.Readable() {
		t.Error(m.Handles(), fd.Readable())
	}
}

// Each call can be made to fail, and nothing is left open by one that did.
func TestBeforeMakesCallsFail(t *testing.T) {
	m, spawn := start0(t)
	p := spawn(spec{})
	var fail string
	sys := p.View(func(call, arg string) error {
		if call == fail {
			return syscall.EMFILE
		}
		return nil
	})
	proc, _ := sys.Proc()
	fd, _ := sys.Pidfd(1)
	for call, do := range map[string]func() error{
		"kill":       func() error { return sys.Kill(1) },
		"pidfd_open": func() error { _, err := sys.Pidfd(1); return err },
		"proc":       func() error { _, err := sys.Proc(); return err },
		"read":       func() error { _, err := proc.ReadFile("1/stat"); return err },
		"readlink":   func() error { _, err := proc.Readlink("self"); return err },
		"list":       func() error { _, err := proc.Names(); return err },
	} {
		fail = call
		wantErr(t, call, do(), syscall.EMFILE)
	}
	if m.Handles() != 2 {
		t.Error(m.Handles(), "are open")
	}
	p.Tear(1, 0)
	if fail = "poll"; fd.Readable() {
		t.Error("a poll that failed says something")
	}
}

// What an execve by another thread lets others see lasts for as many looks as was said.
func TestTear(t *testing.T) {
	_, spawn := start0(t)
	asker, p := spawn(spec{}), spawn(spec{})
	look := func() string {
		return about(asker.View(nil), p.PID(), map[int]string{1: "init", p.PID(): "it"})
	}
	whole := look()
	p.Tear(1, 1)
	if got, want := look(), "kill: ok; pidfd: true false; stat: it Z parent 0 group -1 threads 0 start true; listed: true ok"; got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
	if got := look(); got != whole {
		t.Errorf("%s, before it was\n%s", got, whole)
	}
}

// The calls of many goroutines mix, also with what they ask about (see the race detector).
func TestManyAtOnce(t *testing.T) {
	m, spawn := start0(t)
	asker := spawn(spec{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				p, err := m.Initial().Spawn(spec{Parent: asker, Threads: 1})
				if err != nil {
					t.Error(err)
					return
				}
				p.Stop()
				p.Continue()
				p.SetGroup(asker)
				p.MountProc(simkernel.Mount{Of: m.Initial(), Hide: simkernel.Invisible})
				p.LeaveLeader()
				p.Tear(1, 1)
				m.Advance(1)
				p.Identity()
				about(asker.View(nil), p.PID(), nil)
				self(p.View(nil), p.PID())
				p.Kill()
				p.Reap()
			}
		})
	}
	for _, call := range []func(){
		func() { asker.View(nil).Kill(3) },
		func() { asker.View(nil).Kill(-3) },
		func() { asker.View(nil).Pidfd(1 << 21) },
		func() { asker.State() },
	} {
		wg.Go(func() {
			for range 2000 {
				call()
			}
		})
	}
	wg.Wait()
	if m.Handles() != 0 || len(m.Processes()) != 2 {
		t.Error(m.Handles(), len(m.Processes()))
	}
}
