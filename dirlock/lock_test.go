package dirlock

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestCycle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	for range 3 {
		lock, err := At(path).Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := lock.Check(); err != nil {
			t.Fatal("Check:", err)
		}
		if _, err := os.Stat(filepath.Join(path, lock.Stamp().Name())); err != nil {
			t.Fatal(err)
		}
		if _, err := At(path).TryAcquire(); !errors.Is(err, ErrHeld) {
			t.Fatal("TryAcquire:", err)
		} else {
			t.Log(err)
		}
		if err := lock.Release(); err != nil {
			t.Fatal("Release:", err)
		}
		if err := lock.Release(); err != ErrReleased {
			t.Fatal("second Release:", err)
		}
		if cause := context.Cause(lock.Context()); cause != ErrReleased {
			t.Fatal("cause:", cause)
		}
		if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
			t.Fatal("left behind:", err)
		}
	}
}

func TestTimedOutWait(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	lock, err := At(path).Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	m := Mutex{Path: path, Wait: 300 * time.Millisecond}
	if _, err := m.Acquire(t.Context()); !errors.Is(err, ErrHeld) || !errors.Is(err, context.DeadlineExceeded) {
		t.Error("Acquire:", err)
	} else {
		t.Log(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := At(path).Acquire(ctx); !errors.Is(err, ErrHeld) || !errors.Is(err, context.DeadlineExceeded) {
		t.Error("Acquire:", err)
	}
}
