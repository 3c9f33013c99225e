package fsys_test

import (
	"io/fs"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// hooked is the real file system with something happening before or after a call.
type hooked struct {
	fsys.FS
	beforeStat func(path string)
	afterProbe func(path string) // once the probe file was created
}

func (h hooked) Stat(path string) (fsys.Info, error) {
	if h.beforeStat != nil {
		h.beforeStat(path)
	}
	return h.FS.Stat(path)
}

func (h hooked) OpenDir(path string) (fsys.Dir, error) {
	d, err := h.FS.OpenDir(path)
	if err != nil {
		return nil, err
	}
	return hookedDir{d, h, path}, nil
}

type hookedDir struct {
	fsys.Dir
	h    hooked
	path string
}

func (d hookedDir) Create(name string, data []byte, mode fs.FileMode) error {
	err := d.Dir.Create(name, data, mode)
	if err == nil && d.h.afterProbe != nil {
		d.h.afterProbe(d.path + "/" + name)
	}
	return err
}

// TestProbeIsTouched: on SMB a new file carries the server's time and a touched one this client's, so that a probe that was
// only created would be on another clock than those after it.
func TestProbeIsTouched(t *testing.T) {
	f := hooked{FS: fsys.OS()}
	f.afterProbe = func(path string) { must(t, f.FS.SetMtime(path, time.Unix(1e9, 0))) }
	aux := mounts(t)["disk"] + "/side"
	now, err := fsys.ProbeClock(f, aux)
	if err != nil || time.Since(now) > time.Hour {
		t.Errorf("the clock says %v, %v", now, err)
	}
	must(t, fsys.SweepAux(f, aux))
}

// TestProbeSwept: another process sweeps while this one looks.
func TestProbeSwept(t *testing.T) {
	f := hooked{FS: fsys.OS()}
	aux := mounts(t)["disk"] + "/side"
	sweeps := 0
	f.beforeStat = func(path string) {
		if sweeps > 0 && len(path) > len(aux) {
			sweeps--
			must(t, fsys.SweepAux(f.FS, aux))
		}
	}
	sweeps = 3
	if now, err := fsys.ProbeClock(f, aux); err != nil || time.Since(now) > time.Hour {
		t.Errorf("the clock says %v, %v", now, err)
	}
	sweeps = 1000
	if now, err := fsys.ProbeClock(f, aux); !fsys.Is(err, fsys.NotExist) || sweeps < 900 {
		t.Errorf("swept without end: %v, %v, after %d attempts", now, err, 1000-sweeps)
	}
	must(t, fsys.SweepAux(f.FS, aux))
}
