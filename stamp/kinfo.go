package stamp

import (
	"encoding/binary"
	"errors"
)

// A layout says where in a record of the process table a BSD kernel puts what we ask for. The records are of the systems'
// stable interface of sysctl(3) on 64-bit machines, little-endian ones all. Offsets are in bytes.
type layout struct {
	size                int // of a record, or of as much of one as is asked for
	pid, group          int // int32
	startSec, startUsec int
	secBytes, usecBytes int // 4 or 8
	stat                int // int8
	zombies             []byte
}

var (
	// sys/user.h of FreeBSD, struct kinfo_proc (1088 bytes; SZOMB is 5).
	freebsdLayout = layout{size: 1088, pid: 72, group: 80, startSec: 336, secBytes: 8, startUsec: 344, usecBytes: 8, stat: 388, zombies: []byte{5}}
	// sys/sysctl.h of OpenBSD, struct kinfo_proc up to p_ustart_usec (SZOMB is 5, SDEAD is 6 and what a zombie shows).
	openbsdLayout = layout{size: 424, pid: 108, group: 120, startSec: 408, secBytes: 8, startUsec: 416, usecBytes: 4, stat: 304, zombies: []byte{5, 6}}
	// sys/sysctl.h of NetBSD, struct kinfo_proc2 up to p_ustart_usec (LSZOMB is 5).
	netbsdLayout = layout{size: 464, pid: 116, group: 128, startSec: 456, secBytes: 4, startUsec: 460, usecBytes: 4, stat: 360, zombies: []byte{5}}
)

var errRecord = errors.New("a process record of unknown size")

// A record is one process in the table.
type record struct {
	pid, group int
	start      uint64 // microseconds, by whatever clock the kernel puts there; 0 unknown
	zombie     bool
}

// parse takes the table apart. A table of another size than the layout's is none that we know.
func (l layout) parse(table []byte) ([]record, error) {
	if len(table)%l.size != 0 {
		return nil, errRecord
	}
	var list []record
	for ; len(table) > 0; table = table[l.size:] {
		sec, usec := number(table[l.startSec:], l.secBytes), number(table[l.startUsec:], l.usecBytes)
		r := record{
			pid:   int(int32(binary.LittleEndian.Uint32(table[l.pid:]))),
			group: int(int32(binary.LittleEndian.Uint32(table[l.group:]))),
		}
		if sec < 1<<40 && usec < 1e6 {
			r.start = sec*1e6 + usec
		}
		for _, z := range l.zombies {
			r.zombie = r.zombie || table[l.stat] == z
		}
		list = append(list, r)
	}
	return list, nil
}

func number(b []byte, size int) uint64 {
	if size == 4 {
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}
