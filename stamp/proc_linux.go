package stamp

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/internal/kernel"
)

// startSlack is 0: field 22 of stat is fixed at fork for good, also when another
// thread than the first calls execve and takes the leader's pid over.
const startSlack = 0

var errNotOurs = errors.New("/proc does not show our pid namespace")

// procfs is /proc held open: what is read after a check comes from the mount
// that was checked, even if another is mounted over it meanwhile.
type procfs struct{ kernel.ProcFS }

func (a asker) openProc() (procfs, error) {
	p, err := a.sys.Proc()
	return procfs{p}, err
}

// ours reports whether this /proc shows the namespace in which this process has
// the given pid.
func (p procfs) ours(pid int) (bool, error) {
	text, err := p.ReadFile("self/status")
	if err != nil {
		return false, err
	}
	return ownNSpid(text, pid), nil
}

// ourProc opens /proc to ask about other processes. The identity may be older
// than what is mounted there now, so it is checked again.
func (a asker) ourProc(id Identity) (procfs, error) {
	if !id.ProcOurs {
		return procfs{}, errNotOurs
	}
	p, err := a.openProc()
	if err != nil {
		return procfs{}, err
	}
	ours, err := p.ours(id.PID)
	if err == nil && !ours {
		err = errNotOurs
	}
	if err != nil {
		p.Close()
		return procfs{}, err
	}
	return p, nil
}

// stat reads one process. The error matches fs.ErrNotExist if it is not there.
func (p procfs) stat(pid int) (stat, error) {
	name := strconv.Itoa(pid) + "/stat"
	for range 10 {
		text, err := p.ReadFile(name)
		if errors.Is(err, unix.ESRCH) { // it went between open and read
			err = fmt.Errorf("%w: %w", fs.ErrNotExist, err)
		}
		if err != nil {
			return stat{}, err
		}
		st, err := parseStat(text)
		if err != nil {
			return stat{}, fmt.Errorf("%s: %w", name, err)
		}
		if !st.torn() {
			return st, nil
		}
	}
	return stat{}, fmt.Errorf("%s: never seen whole", name)
}

func (a asker) lookup(id Identity, pid int) (process, error) {
	p, err := a.ourProc(id)
	if err != nil {
		return process{}, err
	}
	defer p.Close()
	st, err := p.stat(pid)
	if err != nil {
		return process{}, err
	}
	return process{start: st.start, zombie: st.zombie()}, nil
}
