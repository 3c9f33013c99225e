package dirlock

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/internal/world"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// smbLike is a real file system that claims that touches carry the client's clock, under a umask of its own.
type smbLike struct{ fsys.FS }

type smbLikeDir struct{ fsys.Dir }

func (f smbLike) OpenDir(path string) (fsys.Dir, error) {
	d, err := f.FS.OpenDir(path)
	if err != nil {
		return nil, err
	}
	return smbLikeDir{d}, nil
}

func (f smbLike) Mkdir(path string, mode fs.FileMode) error { return f.FS.Mkdir(path, mode&^0o077) }

func (f smbLike) Traits(path string) (fsys.Traits, error) { return likeSMB(f.FS.Traits(path)) }

func (d smbLikeDir) Traits() (fsys.Traits, error) { return likeSMB(d.Dir.Traits()) }

func likeSMB(t fsys.Traits, err error) (fsys.Traits, error) {
	t.Local, t.Beats = false, fsys.ClockClient
	return t, err
}

// On a real directory: one caller leaves a note, the next reads it and takes over, and nothing stays.
func TestNotesOnARealDirectory(t *testing.T) {
	t.Parallel()
	const heartbeat, stale = 100 * time.Millisecond, 4 * time.Second
	parent := t.TempDir()
	if err := os.Chmod(parent, 0o755); err != nil { // whatever the umask
		t.Fatal(err)
	}
	p := filepath.Join(parent, "lock")
	dead := stamp.Stamp{Version: 1, UUID: uuid.New(), PID: 77, Start: 77, Boot: stamp.Boot{1}, PIDNS: 1, Heartbeat: heartbeat, Stale: stale,
		Clock: stamp.ClockHolder, Label: "ghost"}
	if err := errors.Join(os.Mkdir(p, 0o755), os.WriteFile(filepath.Join(p, dead.Name()), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	call := func(wait time.Duration) error {
		w := world.Real()
		w.FS = smbLike{w.FS}
		m := &Mutex{Path: p, Heartbeat: heartbeat, Stale: stale, Wait: wait, process: newProcess(w)} // a process of its own
		l, err := m.Acquire(context.Background())
		if err != nil {
			return err
		}
		return l.Release()
	}
	begun := time.Now()
	if err := call(time.Second); !errors.Is(err, ErrHeld) {
		t.Fatal(err)
	}
	notes, err := os.ReadDir(p + auxSuffix)
	if err != nil || len(notes) != 1 || !notes[0].IsDir() {
		t.Fatal(notes, err)
	}
	for _, d := range []string{p + auxSuffix, filepath.Join(p+auxSuffix, notes[0].Name())} {
		if i, err := os.Stat(d); err != nil || i.Mode().Perm() != 0o755 { // as the parent, so that others may sweep it
			t.Error(d, i.Mode(), err)
		}
	}
	for calls := 2; ; calls++ {
		err := call(time.Second)
		if err == nil {
			if silent := time.Since(begun); silent < stale || calls < 3 {
				t.Errorf("taken over by call %d, after %v", calls, silent)
			}
			break
		}
		if !errors.Is(err, ErrHeld) || calls > 60 {
			t.Fatalf("call %d: %v", calls, err)
		}
	}
	if left, err := os.ReadDir(parent); err != nil || len(left) > 0 {
		t.Error("left behind:", left, err)
	}
	if _, err := os.Stat(p + auxSuffix); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
