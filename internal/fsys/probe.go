package fsys

import (
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"
)

const probePrefix = "probe-"

// ownProbe is the name of this process's probe file, the same beside every lock.
var ownProbe = ProbeName(uuid.New())

// ProbeClock reads the clock that Touch puts on files of a mount: it touches a file of this process's own in the directory
// aux, makes both if they are missing, and returns the time that the file then has. Anybody may remove the file and the
// directory at any time. aux's mode follows its parent's, see [InheritMode].
func ProbeClock(f FS, aux string) (time.Time, error) { return ProbeClockAs(f, aux, ownProbe) }

// ProbeName is the name of the probe file of the process that id stands for.
func ProbeName(id uuid.UUID) string { return probePrefix + id.String() }

// ProbeClockAs is [ProbeClock] with a probe file of the given name, from [ProbeName]: for simulations of several processes.
func ProbeClockAs(f FS, aux, name string) (time.Time, error) {
	probe := aux + separators[:1] + name
	// Whoever takes the lock meanwhile sweeps the probe away: made anew, but not for ever.
	var err error
	for range 5 {
		if err = f.Touch(probe); missing(err) {
			if err = makeProbe(f, aux, name); err == nil {
				err = f.Touch(probe) // also where just made: by creation it may carry another clock (SMB)
			}
		}
		var i Info
		if err == nil {
			i, err = f.Stat(probe)
		}
		if err == nil && i.Nlink > 0 {
			return i.Mtime, nil
		}
		if err == nil { // removed, and the client still knew it
			err = pathError("probe", probe, syscall.ENOENT)
		} else if !missing(err) {
			return time.Time{}, err
		}
	}
	return time.Time{}, err
}

func missing(err error) bool { return Is(err, NotExist) || Is(err, Stale) }

func makeProbe(f FS, aux, name string) error {
	if err := makeAux(f, aux); err != nil {
		return err
	}
	d, err := f.OpenDir(aux) // not through a link that somebody laid there
	if err != nil {
		return err
	}
	err = d.Create(name, nil, 0o644)
	if Is(err, Exist) { // a lost reply, or another lock's goroutine
		err = nil
	}
	if cerr := d.Close(); err == nil {
		err = cerr
	}
	return err
}

func makeAux(f FS, aux string) error {
	parent, err := f.Stat(aux[:strings.LastIndexAny(aux, separators)+1])
	if err != nil {
		return err
	}
	mode := InheritMode(parent)
	if err := f.Mkdir(aux, mode); err != nil {
		if Is(err, Exist) {
			return nil
		}
		return err
	}
	d, err := f.OpenDir(aux)
	if err != nil {
		return err
	}
	defer d.Close()
	_ = d.Grant(mode) // the umask; where the mount does not let modes be changed, its user decided
	return nil
}

// SweepAux removes probe files, everybody's, from aux, and aux itself if nothing is left in it. Whoever still needs a probe
// makes it anew. A missing aux is not an error, nor is one that others' files keep.
func SweepAux(f FS, aux string) error {
	d, err := f.OpenDir(aux)
	if missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	entries, err := d.List()
	for _, e := range entries {
		if id, ok := strings.CutPrefix(e.Name, probePrefix); ok && uuid.Validate(id) == nil {
			if uerr := d.Unlink(e.Name); err == nil && !missing(uerr) {
				err = uerr
			}
		}
	}
	if cerr := d.Close(); err == nil {
		err = cerr
	}
	if rerr := f.Rmdir(aux); err == nil && !missing(rerr) && !Is(rerr, NotEmpty) {
		err = rerr
	}
	return err
}
