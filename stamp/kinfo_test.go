package stamp

import (
	"encoding/binary"
	"testing"
)

var layouts = map[string]layout{"freebsd": freebsdLayout, "openbsd": openbsdLayout, "netbsd": netbsdLayout}

// forge makes a table of n records that a layout accepts, all of them zero.
func (l layout) forge(n int) []byte {
	table := make([]byte, n*l.size)
	for i := range n {
		if l.tellsSize {
			binary.LittleEndian.PutUint32(table[i*l.size:], uint32(l.size))
		}
	}
	return table
}

func (f spot) put(b []byte, v uint64) {
	for i := range f.bytes {
		b[f.at+i] = byte(v >> (8 * i))
	}
}

// A record that is put together field by field is read back, and what has another
// size is refused.
func TestProcessRecords(t *testing.T) {
	for name, l := range layouts {
		t.Run(name, func(t *testing.T) {
			table := l.forge(2)
			second := table[l.size:]
			spot{l.pid, 4}.put(second, 4711)
			spot{l.group, 4}.put(second, 4700)
			l.startSec.put(second, 1_800_000_000)
			l.startUsec.put(second, 250_000)
			l.state.put(second, l.zombie)
			got, err := l.parse(table)
			want := record{pid: 4711, group: 4700, start: 1_800_000_000_250_000, zombie: true}
			if err != nil || len(got) != 2 || got[1] != want || got[0] != (record{}) {
				t.Errorf("%+v, %v", got, err)
			}
			if _, err := l.parse(table[:len(table)-1]); err == nil {
				t.Error("a table of another size was read")
			}
			if got, err := l.parse(nil); err != nil || len(got) != 0 {
				t.Errorf("an empty table: %v, %v", got, err)
			}
			l.startUsec.put(table, 1_000_001) // no time of day
			if got, _ := l.parse(table); got[0].start != 0 {
				t.Errorf("an impossible time was believed: %d", got[0].start)
			}
			if l.tellsSize {
				second[0]++
				if _, err := l.parse(table); err == nil {
					t.Error("a record of another size was read")
				}
			}
		})
	}
}

// No other state of a process may be taken for its death.
func TestProcessRecordZombies(t *testing.T) {
	for name, states := range map[string]map[uint64]bool{
		"freebsd": {1: false, 2: false, 3: false, 4: false, 5: true, 6: false, 7: false},
		"openbsd": {0: false, 5: false, 6: false, 0x20000: false, 0x40000: true, 0x80000: false, 0x40011: true},
		"netbsd":  {1: false, 2: false, 3: false, 4: false, 5: true, 6: false, 5 << 32: false},
	} {
		l := layouts[name]
		for state, zombie := range states {
			table := l.forge(1)
			l.state.put(table, state)
			if got, err := l.parse(table); err != nil || got[0].zombie != zombie {
				t.Errorf("%s: state %#x: %+v, %v", name, state, got, err)
			}
		}
	}
}

func FuzzProcessRecords(f *testing.F) {
	for _, l := range layouts {
		f.Add(l.forge(2))
	}
	f.Fuzz(func(t *testing.T, table []byte) {
		for name, l := range layouts {
			if got, err := l.parse(table); (err == nil) != (len(got)*l.size == len(table)) {
				t.Errorf("%s: %d bytes: %d records, %v", name, len(table), len(got), err)
			}
		}
	})
}
