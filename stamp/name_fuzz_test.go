package stamp

import (
	"errors"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"
)

var grammar = regexp.MustCompile(`^dirlock-1(\.[a-z0-9-]+){13}$`)

func TestNameRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Stamp{
			Version:    1,
			UUID:       uuid.UUID(rapid.SliceOfN(rapid.Byte(), 16, 16).Filter(func(b []byte) bool { return uuid.UUID(b) != uuid.Nil }).Draw(t, "uuid")),
			PID:        rapid.IntRange(1, math.MaxInt32).Draw(t, "pid"),
			Start:      rapid.Uint64().Draw(t, "start"),
			Boot:       Boot(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "boot")),
			PIDNS:      rapid.Uint64().Draw(t, "pidns"),
			TimeNS:     rapid.Uint64().Draw(t, "timens"),
			Group:      rapid.IntRange(0, math.MaxInt32).Filter(func(g int) bool { return g != 1 }).Draw(t, "group"),
			GroupStart: rapid.Uint64().Draw(t, "groupstart"),
			Heartbeat:  time.Duration(rapid.Int64Range(0, math.MaxInt64/int64(time.Millisecond)).Draw(t, "heartbeat")) * time.Millisecond,
			Stale:      time.Duration(rapid.Int64Range(0, math.MaxInt64/int64(time.Millisecond)).Draw(t, "stale")) * time.Millisecond,
			Clock:      rapid.SampledFrom([]ClockSource{ClockUnknown, ClockFS, ClockHolder}).Draw(t, "clock"),
			HostHash:   rapid.Uint64().Draw(t, "hash"),
			Label:      Label(rapid.String().Draw(t, "host")),
		}
		name := s.Name()
		if len(name) > MaxName || !grammar.MatchString(name) {
			t.Fatalf("%d bytes: %s", len(name), name)
		}
		got, err := Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		if got.Label == "" || !strings.HasPrefix(s.Label, got.Label) {
			t.Fatalf("label %q of %q", got.Label, s.Label)
		}
		if got.Label != s.Label && len(name) != MaxName && got.TimeNS == s.TimeNS {
			t.Fatalf("label cut without need: %s", name)
		}
		s.Label = got.Label
		if s.TimeNS > math.MaxUint32 && got.TimeNS == 0 {
			s.TimeNS = 0
		}
		if got != s {
			t.Fatalf("\n got %+v\nwant %+v", got, s)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"", Prefix, Vacant, sampleName, sampleName + ".x", strings.Replace(sampleName, "-1.", "-2.", 1) + ".x_y", strings.ToUpper(sampleName)} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		s, err := Parse(name)
		if err != nil {
			if foreign := name == Vacant || !strings.HasPrefix(name, Prefix); foreign != errors.Is(err, ErrForeign) || foreign == errors.Is(err, ErrFormat) {
				t.Fatalf("%q: %v", name, err)
			}
			return
		}
		if got := s.Name(); got != name || len(name) > MaxName {
			t.Fatalf("%q became %q", name, got)
		}
		if s.PID < 1 || s.PID > math.MaxInt32 || s.Group < 0 || s.Group > math.MaxInt32 || s.UUID == uuid.Nil || s.Version < 1 {
			t.Fatalf("%q: %+v", name, s)
		}
		if heartbeat, stale := s.Bounds(); heartbeat < MinHeartbeat || 3*heartbeat > stale || stale > MaxStale {
			t.Fatalf("%q: %v of %v", name, heartbeat, stale)
		}
	})
}
