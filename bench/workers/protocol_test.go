package workers

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/bench/internal/worker"
	"github.com/aac6cccc/mkdirlock/bench/kit"
)

func TestVersion(t *testing.T) {
	each(t, all, func(t *testing.T, name string) {
		out, err := exec.Command(filepath.Join(bin, name), "version").Output()
		if version, ok := strings.CutPrefix(string(out), "VERSION "); err != nil || !ok || strings.TrimSpace(version) == "" {
			t.Errorf("%q, %v; want VERSION and some text", out, err)
		}
	})
}

func TestArgumentsThatMakeNoSense(t *testing.T) {
	for _, args := range []string{"", "dance", "uncontended", "uncontended x", "uncontended 0", "goroutines 3", "hold 3", "contend 1"} {
		c := exec.Command(filepath.Join(bin, "flock"), strings.Fields(args)...)
		c.Env = append(os.Environ(), "LOCK_PATH="+t.TempDir()+"/lock")
		err := c.Run()
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 2 {
			t.Errorf("%q: %v, want exit code 2", args, err)
		}
	}
}

func TestUncontended(t *testing.T) {
	each(t, all, func(t *testing.T, name string) {
		if ns := expect(t, start(t, name, t.TempDir(), nil, "uncontended", "20"), "NSOP"); ns <= 0 {
			t.Errorf("%d ns", ns)
		}
	})
}

func TestWaiterHasItAfterTheRelease(t *testing.T) {
	each(t, locks, func(t *testing.T, name string) {
		dir := t.TempDir()
		before := kit.Now()
		holder := start(t, name, dir, nil, "hold")
		held := expect(t, holder, "ACQ")
		waiter := start(t, name, dir, nil, "wait")
		waits := expect(t, waiter, "WAIT")
		if line, err := waiter.Line(300 * time.Millisecond); !errors.Is(err, worker.ErrLate) {
			t.Fatalf("the waiter said %q (%v) while the lock was held", line, err)
		}
		holder.Send("")
		released, acquired := expect(t, holder, "REL"), expect(t, waiter, "ACQ")
		expect(t, waiter, "DONE")
		if !(before < held && held < waits && waits < released && released < acquired && acquired < kit.Now()) {
			t.Errorf("out of order: %d held %d waits %d released %d acquired %d", before, held, waits, released, acquired)
		}
	})
}

func TestWaiterHasItAfterSIGKILL(t *testing.T) {
	each(t, locks, func(t *testing.T, name string) {
		dir := t.TempDir()
		holder := start(t, name, dir, nil, "hold")
		expect(t, holder, "ACQ")
		waiter := start(t, name, dir, nil, "wait")
		expect(t, waiter, "WAIT")
		killed := holder.Kill()
		if acquired := expect(t, waiter, "ACQ"); acquired < killed {
			t.Errorf("acquired %d ns before the kill", killed-acquired)
		}
	})
}

// A gated worker waits for its time, goes again, and tells of a witness that is there already.
func TestGateAndWitness(t *testing.T) {
	each(t, locks, func(t *testing.T, name string) {
		dir := t.TempDir()
		witness := filepath.Join(dir, "witness")
		w := start(t, name, dir, []string{"LOCK_GATE=1", "LOCK_WITNESS=" + witness}, "wait")
		for _, other := range []bool{false, true} {
			expect(t, w, "READY")
			if other {
				if err := os.WriteFile(witness, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			at := kit.Now() + 50e6
			w.Send(strconv.FormatInt(at, 10))
			var said []string
			for {
				line, err := w.Line(generous)
				if err != nil {
					t.Fatal(err)
				}
				word, rest, _ := strings.Cut(line, " ")
				if n, _ := strconv.ParseInt(rest, 10, 64); n < at {
					t.Errorf("%s before its time", line)
				}
				said = append(said, word)
				if word == "DONE" {
					break
				}
			}
			want := "WAIT ACQ DONE"
			if other {
				want = "WAIT ACQ VIOL DONE"
			}
			if got := strings.Join(said, " "); got != want {
				t.Errorf("said %s, want %s", got, want)
			}
		}
	})
}

// counted reads up to COUNT, and how many TOOK lines came before it.
func counted(t *testing.T, w *worker.Worker) (sections, violations, failures, took int) {
	t.Helper()
	for {
		line, err := w.Line(generous)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(line, "TOOK ") {
			took++
		} else if _, err := fmt.Sscanf(line, "COUNT %d %d %d", &sections, &violations, &failures); err == nil {
			return sections, violations, failures, took
		}
	}
}

func TestContend(t *testing.T) {
	each(t, locks, func(t *testing.T, name string) {
		dir := t.TempDir()
		env := []string{"LOCK_WITNESS=" + filepath.Join(dir, "witness")}
		a, b := start(t, name, dir, env, "contend", "1"), start(t, name, dir, env, "contend", "1")
		for _, w := range []*worker.Worker{a, b} {
			if sections, violations, failures, _ := counted(t, w); sections == 0 || violations+failures > 0 {
				t.Errorf("%d sections, %d violations, %d errors", sections, violations, failures)
			}
		}
	})
}

func TestGoroutines(t *testing.T) {
	each(t, locks, func(t *testing.T, name string) {
		dir := t.TempDir()
		witness := filepath.Join(dir, "witness")
		run := func() (int, int, int, int) {
			return counted(t, start(t, name, dir, []string{"LOCK_WITNESS=" + witness, "LOCK_SECTION_US=1000"}, "goroutines", "4", "1"))
		}
		if sections, violations, failures, took := run(); sections == 0 || took != sections || violations+failures > 0 {
			t.Errorf("%d sections, %d waits, %d violations, %d errors", sections, took, violations, failures)
		}
		if err := os.WriteFile(witness, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if sections, violations, _, _ := run(); sections == 0 || violations != sections {
			t.Errorf("%d violations in %d sections beside a witness", violations, sections)
		}
	})
}

// Held locks stay alive, and go when they are told to.
func TestHeld(t *testing.T) {
	each(t, kept, func(t *testing.T, name string) {
		const n = 12
		dir := t.TempDir()
		w := start(t, name, dir, nil, "held", strconv.Itoa(n))
		expect(t, w, "ACQ")
		stamps := func() []string {
			files, err := filepath.Glob(filepath.Join(dir, "lock-*", "*"))
			if err != nil {
				t.Fatal(err)
			}
			return files
		}
		held := stamps()
		if len(held) != n {
			t.Fatalf("%d stamps, want %d: %v", len(held), n, held)
		}
		began := time.Now()
		for _, file := range held {
			first := mtime(t, file)
			for mtime(t, file).Equal(first) {
				if time.Since(began) > generous {
					t.Fatalf("no heartbeat of %s", file)
				}
				time.Sleep(20 * time.Millisecond)
			}
		}
		w.Send("")
		if name == "mkdirlock" { // the floor's loop goes on, and its files are gone under it
			expect(t, w, "REL")
		}
		for end := time.Now().Add(generous); len(stamps()) > 0; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("still there: %v", stamps())
			}
		}
	})
}

func mtime(t *testing.T, file string) time.Time {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime()
}
