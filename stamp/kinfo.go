package stamp

import (
	"encoding/binary"
	"errors"
)

// A layout says where in a record of the process table a BSD kernel puts what we
// ask for. The records are of the systems' stable interface of sysctl(3), which
// only grows at its end, on 64-bit machines, little-endian ones all. Offsets are
// in bytes.
type layout struct {
	size       int  // of a record, or of as much of one as is asked for
	tellsSize  bool // a record begins with its size as an int32
	pid, group int  // int32
	startSec   spot
	startUsec  spot
	state      spot   // of the whole process, not of one of its threads
	stateMask  uint64 // which bits of it count
	zombie     uint64 // what they are in a zombie
}

type spot struct{ at, bytes int } // 1, 4 or 8 bytes

var (
	// struct kinfo_proc of sys/user.h. ki_stat is SZOMB, 5, exactly when p_state is PRS_ZOMBIE (fill_kinfo_proc_only).
	freebsdLayout = layout{
		size: 1088, tellsSize: true, pid: 72, group: 80, startSec: spot{336, 8}, startUsec: spot{344, 8},
		state: spot{388, 1}, stateMask: 0xff, zombie: 5,
	}
	// struct kinfo_proc of sys/sysctl.h up to p_psflags, where PS_ZOMBIE of sys/proc.h is 0x40000.
	openbsdLayout = layout{
		size: 568, pid: 108, group: 120, startSec: spot{408, 8}, startUsec: spot{416, 4},
		state: spot{560, 4}, stateMask: 0x40000, zombie: 0x40000,
	}
	// struct kinfo_proc2 of sys/sysctl.h up to p_realstat, where SZOMB of sys/proc.h is 5. Its p_stat would not do: that
	// is of one thread, and the one that had the last signal may have ended in a process that lives.
	netbsdLayout = layout{
		size: 640, pid: 116, group: 128, startSec: spot{456, 4}, startUsec: spot{460, 4},
		state: spot{632, 8}, stateMask: ^uint64(0), zombie: 5,
	}
)

var errRecord = errors.New("a process record of unknown size")

// A record is one process in the table.
type record struct {
	pid, group int
	start      uint64 // microseconds, by whatever clock the kernel puts there; 0 unknown
	zombie     bool
}

// parse takes the table apart. A table of another size than the layout's is none
// that we know.
func (l layout) parse(table []byte) ([]record, error) {
	if len(table)%l.size != 0 {
		return nil, errRecord
	}
	var list []record
	for ; len(table) > 0; table = table[l.size:] {
		if l.tellsSize && l.int32(table, 0) != l.size {
			return nil, errRecord
		}
		r := record{
			pid:    l.int32(table, l.pid),
			group:  l.int32(table, l.group),
			zombie: l.state.of(table)&l.stateMask == l.zombie,
		}
		if sec, usec := l.startSec.of(table), l.startUsec.of(table); sec < 1<<40 && usec < 1e6 {
			r.start = sec*1e6 + usec
		}
		list = append(list, r)
	}
	return list, nil
}

func (layout) int32(b []byte, at int) int { return int(int32(binary.LittleEndian.Uint32(b[at:]))) }

func (f spot) of(b []byte) uint64 {
	switch b = b[f.at:]; f.bytes {
	case 1:
		return uint64(b[0])
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}
