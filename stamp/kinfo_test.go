package stamp

import (
	"encoding/binary"
	"testing"
)

// A record that is put together field by field is read back, and what has another size is refused.
func TestProcessRecords(t *testing.T) {
	for name, l := range map[string]layout{"freebsd": freebsdLayout, "openbsd": openbsdLayout, "netbsd": netbsdLayout} {
		t.Run(name, func(t *testing.T) {
			table := make([]byte, 2*l.size)
			put := func(at, size int, v uint64) {
				if size == 4 {
					binary.LittleEndian.PutUint32(table[at:], uint32(v))
				} else {
					binary.LittleEndian.PutUint64(table[at:], v)
				}
			}
			put(l.size+l.pid, 4, 4711)
			put(l.size+l.group, 4, 4700)
			put(l.size+l.startSec, l.secBytes, 1_800_000_000)
			put(l.size+l.startUsec, l.usecBytes, 250_000)
			table[l.size+l.stat] = 5
			got, err := l.parse(table)
			want := record{pid: 4711, group: 4700, start: 1_800_000_000_250_000, zombie: true}
			if err != nil || len(got) != 2 || got[1] != want || got[0] != (record{}) {
				t.Errorf("%+v, %v", got, err)
			}
			if _, err := l.parse(table[1:]); err == nil {
				t.Error("a table of another size was read")
			}
			if got, err := l.parse(nil); err != nil || len(got) != 0 {
				t.Errorf("an empty table: %v, %v", got, err)
			}
			put(l.startUsec, l.usecBytes, 1_000_001) // no time of day
			if got, _ := l.parse(table); got[0].start != 0 {
				t.Errorf("an impossible time was believed: %d", got[0].start)
			}
		})
	}
}
