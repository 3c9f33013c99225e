//go:build linux

package dirlock_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/dirlock"
	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// The error of a wait that was in vain tells a person all there is to know.
func TestProcTimedOutWaitSaysWhoHolds(t *testing.T) {
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	cfg.Note = "nightly-backup"
	holder := proctest.Start(t, cfg)
	token := holder.Want("ACQ", "acquire")
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	m := cfg.Mutex()
	m.Wait = 700 * time.Millisecond
	begin := time.Now()
	_, err = m.Acquire(context.Background())
	if took := time.Since(begin); took < m.Wait || took > m.Wait+time.Second {
		t.Errorf("it waited %v", took)
	}
	if !errors.Is(err, dirlock.ErrHeld) || !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, dirlock.ErrNotLock) {
		t.Errorf("it matches the wrong things: %v", err)
	}
	program := filepath.Base(os.Args[0])
	for _, text := range []string{
		m.Path, fmt.Sprint("pid ", holder.Inner), fmt.Sprintf("host %q", host), fmt.Sprintf("program %q", program),
		"nightly-backup", "heartbeat", " ago", "verdict:", "alive", "waited",
	} {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%q is not in %s", text, err)
		}
	}
	var held *dirlock.HeldError
	if !errors.As(err, &held) || held.Holder == nil {
		t.Fatalf("%T", err)
	}
	h := held.Holder
	if h.PID != holder.Inner || h.Host != host || h.Program != program || h.Note != cfg.Note || h.Token != token ||
		!h.AgeKnown || h.Age > 2*time.Second || time.Since(h.Since) > time.Minute || h.Stamp.Name() != token {
		t.Errorf("%+v", h)
	}
	if held.Verdict.Takeover || held.Waited < m.Wait || held.Cause != context.DeadlineExceeded || held.Problem != nil {
		t.Errorf("%+v", held)
	}
}

// The caller's own context ends the wait, and its cause is passed on.
func TestProcContextEndsTheWait(t *testing.T) {
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	cfg.Stale = 20 * time.Second // longer than both waits
	cfg.Forge(t, 0)
	why := errors.New("the user has lost patience")
	ctx, cancel := context.WithCancelCause(context.Background())
	const soon = 2 * time.Second // so that any file system has answered by then
	time.AfterFunc(soon, func() { cancel(why) })
	if _, err := cfg.Mutex().Acquire(ctx); !errors.Is(err, dirlock.ErrHeld) || !errors.Is(err, why) {
		t.Error(err)
	}
	ctx, stop := context.WithTimeout(context.Background(), soon)
	defer stop()
	begin := time.Now()
	if _, err := cfg.Mutex().Acquire(ctx); !errors.Is(err, dirlock.ErrHeld) || !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if took := time.Since(begin); took > soon+busy {
		t.Errorf("Wait, which is longer, counted beside a deadline: %v", took)
	}
}

// Who cannot be asked about: then the error says when it would be the waiter's.
func TestProcTimedOutWaitSaysWhen(t *testing.T) {
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	cfg.Stale = 20 * time.Second
	cfg.Forge(t, 0, proctest.Foreign)
	m := cfg.Mutex()
	m.Wait = 500 * time.Millisecond
	for what, f := range map[string]func() (*dirlock.Lock, error){
		"Acquire":    func() (*dirlock.Lock, error) { return m.Acquire(context.Background()) },
		"TryAcquire": m.TryAcquire,
	} {
		_, err := f()
		var held *dirlock.HeldError
		if !errors.As(err, &held) {
			t.Fatal(what, err)
		}
		if held.Takeover < cfg.Stale-5*time.Second || held.Takeover > cfg.Stale+10*time.Second || !strings.Contains(err.Error(), "at the earliest") {
			t.Errorf("%s: %v: %v", what, held.Takeover, err)
		}
		if (held.Cause == nil) != (what == "TryAcquire") {
			t.Errorf("%s: cause %v", what, held.Cause)
		}
	}
}

// TryAcquire does not wait, and still takes what needs no watching.
func TestProcTryAcquire(t *testing.T) {
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	cfg.Forge(t, time.Hour, proctest.Foreign)
	begin := time.Now()
	if _, err := cfg.Mutex().TryAcquire(); !errors.Is(err, dirlock.ErrHeld) || errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if took := time.Since(begin); took > 200*time.Millisecond {
		t.Errorf("it took %v", took)
	}
	cfg.Path += "2"
	cfg.Forge(t, time.Hour, proctest.Dead(t))
	lock, err := cfg.Mutex().TryAcquire()
	if err != nil {
		t.Fatal(err)
	}
	if err := lock.Release(); err != nil {
		t.Error(err)
	}
}

// A caller that waits for less than the watching takes gets an owner that is already old within one call.
func TestProcShortWaitWinsOverTheOld(t *testing.T) {
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	cfg.Stale, cfg.Wait = 10*time.Second, 100*time.Millisecond // the watching takes 2 s
	cfg.Forge(t, time.Hour, proctest.Foreign)
	if took := taken(t, cfg); took > 4*time.Second {
		t.Errorf("it took %v", took)
	}
	cfg.Forge(t, time.Hour, proctest.Foreign)
	ctx, cancel := context.WithTimeout(context.Background(), cfg.Wait)
	defer cancel()
	begin := time.Now()
	if _, err := cfg.Mutex().Acquire(ctx); !errors.Is(err, dirlock.ErrHeld) {
		t.Error(err)
	}
	if took := time.Since(begin); took > time.Second {
		t.Errorf("a context's deadline was outlasted: %v", took)
	}
}

// A file system that takes its time, but answered: the error names the holder that was seen, although the last answer is
// still on its way when the wait is over.
func TestProcSlowAnswersStillNameTheHolder(t *testing.T) {
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	token := cfg.Forge(t, 0)
	proctest.KeepMoving(t, filepath.Join(cfg.Path, token), cfg.Heartbeat, 0)
	waiter := proctest.Start(t, cfg)
	waiter.Guard(dir, func(c proctest.Call) proctest.Reply {
		if c.Name == "statx" {
			time.Sleep(400 * time.Millisecond)
		}
		return proctest.Reply{}
	})
	begin := time.Now()
	text := waiter.Want("HELD", "acquire", "wait=2s")
	if took := time.Since(begin); took > 3*time.Second {
		t.Errorf("it waited %v", took)
	}
	if !strings.Contains(text, fmt.Sprint("pid ", os.Getpid())) {
		t.Error(text)
	}
}

// One that does not answer at all: the wait ends in time, and what succeeds late is undone.
func TestProcHungCallDoesNotHoldTheCaller(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"mkdirat lock", "openat lock", "create stamp", "getdents64 lock"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			dir := proctest.Disk(t)
			cfg := proctest.Quick(filepath.Join(dir, "lock"))
			p := proctest.Start(t, cfg)
			answer := make(chan struct{})
			p.Guard(dir, func(c proctest.Call) proctest.Reply {
				if c.What() == at {
					<-answer
				}
				return proctest.Reply{}
			})
			begin := time.Now()
			text := p.Say("acquire", "wait=500ms")
			if took := time.Since(begin); took > 2*time.Second {
				t.Errorf("it took %v", took)
			}
			if !strings.Contains(text, "deadline exceeded") || strings.HasPrefix(text, "ACQ") {
				t.Error(text)
			}
			close(answer)
			proctest.Until(t, proctest.Patience, "what succeeded late is undone", func() bool { return proctest.Names(dir) == "" })
			works(t, p)
			sole(t, dir)
		})
	}
}
