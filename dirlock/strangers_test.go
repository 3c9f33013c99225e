package dirlock

import (
	"context"
	"errors"
	"testing"
	"time"
)

// A directory of somebody's data with a name in it that begins like a stamp's is not a lock, and keeps what it has.
func TestDataWithANameLikeOurs(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		c := s.server.Local()
		if err := c.Mkdir(simPath, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"/dirlock-linux-amd64", "/README"} {
			if err := c.Create(simPath+name, []byte("data"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Hour)
		m := s.proc("host").mutex()
		m.Wait = time.Minute
		if _, err := m.Acquire(context.Background()); !errors.Is(err, ErrNotLock) {
			t.Error(err)
		}
		if n := len(s.names()); n != 2 {
			t.Errorf("left: %q", s.names())
		}
	})
}

// A stamp removed by hand, and a script's lock made in its place: Release leaves that alone.
func TestReleaseLeavesAScriptsLock(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		l := s.proc("host").acquire(0)
		c := s.server.Local()
		if err := errors.Join(c.Unlink(simStamp(l)), c.Rmdir(simPath), c.Mkdir(simPath, 0o755)); err != nil {
			t.Fatal(err)
		}
		_ = l.Release()
		if _, err := c.Stat(simPath); err != nil {
			t.Error("the script's lock is gone:", err)
		}
	})
}
