package stamp

import (
	"errors"

	"golang.org/x/sys/unix"
)

// noTimeNS stands for the only time namespace of a kernel that has none to tell
// apart. Inode numbers of namespaces begin at 0xf0000000, so it is never one.
const noTimeNS = 1

// identify reads all of Self from one /proc. exhausted reports that something
// could not be read for want of descriptors or memory, which may pass; any other
// failure is taken to be lasting.
func (a asker) identify(pid int) (id Identity, exhausted bool) {
	id.PID = pid
	note := func(err error) bool {
		exhausted = exhausted || errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) || errors.Is(err, unix.ENOMEM)
		return err == nil
	}
	p, err := a.openProc()
	if !note(err) {
		return id, exhausted
	}
	defer p.Close()

	if text, err := p.ReadFile("sys/kernel/random/boot_id"); note(err) {
		id.Boot = parseBootID(string(text))
	}
	if link, err := p.Readlink("self/ns/pid"); note(err) {
		id.PIDNS = parseNamespace("pid", link)
	}
	if link, err := p.Readlink("self/ns/time"); note(err) {
		id.TimeNS = parseNamespace("time", link)
	} else if errors.Is(err, unix.ENOENT) && id.PIDNS != 0 {
		id.TimeNS = noTimeNS
	}
	// In a pid namespace without its own /proc, "self" still leads to this
	// very process, under its number out there; so Start needs no ProcOurs.
	if text, err := p.ReadFile("self/stat"); note(err) {
		if st, err := parseStat(text); err == nil {
			id.Start = st.start
		}
	}
	ours, err := p.ours(pid)
	note(err)
	id.ProcOurs = ours
	return id, exhausted
}
