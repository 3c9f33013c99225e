package stamp

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

const sampleName = "dirlock-1.0123456789abcdef0123456789abcdef.4711.2s.00112233445566778899aabbccddeeff.4026531836.4026531834.4712.2t.1000.30000.f.00000000deadbeef.db-1"

func sampleStamp() Stamp {
	return Stamp{
		Version: 1, UUID: uuid.MustParse("01234567-89ab-cdef-0123-456789abcdef"),
		PID: 4711, Start: 100,
		Boot:  Boot{0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff},
		PIDNS: 4026531836, TimeNS: 4026531834,
		Group: 4712, GroupStart: 101,
		Heartbeat: time.Second, Stale: 30 * time.Second, Clock: ClockFS,
		HostHash: 0xdeadbeef, Label: "db-1",
	}
}

// The spelling is frozen: other versions, on other hosts, read it.
func TestNameIsFrozen(t *testing.T) {
	if got := sampleStamp().Name(); got != sampleName {
		t.Errorf("Name\n got %s\nwant %s", got, sampleName)
	}
	got, err := Parse(sampleName)
	if err != nil || got != sampleStamp() {
		t.Errorf("Parse = %+v, %v", got, err)
	}
}

// field returns the sample name with one field replaced, by its position in the grammar.
func field(t *testing.T, at int, text string) string {
	t.Helper()
	f := strings.Split(strings.TrimPrefix(sampleName, Prefix), ".")
	if f[at] == text {
		t.Fatalf("field %d is %q already", at, text)
	}
	f[at] = text
	return Prefix + strings.Join(f, ".")
}

const (
	fVersion = iota
	fUUID
	fPID
	fStart
	fBoot
	fPIDNS
	fTimeNS
	fGroup
	fGroupStart
	fHeartbeat
	fStale
	fClock
	fHash
	fLabel
)

func TestParseRefuses(t *testing.T) {
	bad := map[int][]string{
		fVersion:    {"", "0", "01", "-1", "+1", "1.5", "v1", "2147483648", "99999999999999999999", "1 "},
		fUUID:       {"", "00000000000000000000000000000000", "0123456789ABCDEF0123456789abcdef", "0123456789abcdef", "01234567-89ab-cdef-0123-456789abcdef", "g123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef00"},
		fPID:        {"", "0", "-1", "2147483648", "1e30", "04711", "+1", "0x10", "4_7", " 1", "\"12\"", "18446744073709551617"},
		fStart:      {"", "02s", "2S", "-1", "3w5e11264sgsg", "zzzzzzzzzzzzzzzz"},
		fBoot:       {"", "0", "00112233445566778899AABBCCDDEEFF", "00112233445566778899aabbccddeef"},
		fPIDNS:      {"", "00", "-1", "18446744073709551616", "ff"},
		fTimeNS:     {"", "01", "-1", "18446744073709551616"},
		fGroup:      {"", "-1", "00", "2147483648"},
		fGroupStart: {"", "00", "3w5e11264sgsg", "A"},
		fHeartbeat:  {"", "-1", "01", "9223372036855", "1s", "18446744073709551615"},
		fStale:      {"", "-1", "030000", "9223372036855"},
		fClock:      {"", "F", "x", "ff", "0"},
		fHash:       {"", "deadbeef", "00000000DEADBEEF", "000000000deadbeef", "00000000deadbeeg"},
		fLabel:      {"", "DB", "a_b", "a b", "é", "a/b", strings.Repeat("a", 33), "a\x00", "a\n"},
	}
	for at, texts := range bad {
		for _, text := range texts {
			if s, err := Parse(field(t, at, text)); !errors.Is(err, ErrFormat) || s != (Stamp{}) {
				t.Errorf("field %d = %q: %+v, %v", at, text, s, err)
			}
		}
	}
	for _, name := range []string{
		Prefix, Prefix + "1", "dirlock-vacant2", "dirlock-vacant.", "dirlock-vacan", sampleName + ".", sampleName + ".x", sampleName + " ",
		Prefix + strings.Repeat(".", 13), Prefix + strings.Repeat(".", 400), Prefix + strings.Repeat("1", MaxName),
	} {
		if _, err := Parse(name); !errors.Is(err, ErrFormat) {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"", "dirlock", Vacant, "DIRLOCK-1", " " + sampleName, ".DS_Store", strings.ToUpper(sampleName)} {
		if _, err := Parse(name); !errors.Is(err, ErrForeign) || errors.Is(err, ErrFormat) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// Every byte of a name matters: cut anywhere, it is no stamp, or one that gives itself again.
func TestScenario053CutNames(t *testing.T) {
	for n := range len(sampleName) {
		name := sampleName[:n]
		s, err := Parse(name)
		switch {
		case n < len(Prefix) && !errors.Is(err, ErrForeign):
			t.Errorf("%q: %v", name, err)
		case n >= len(Prefix) && err != nil && !errors.Is(err, ErrFormat):
			t.Errorf("%q: %v", name, err)
		case err == nil && (s.Name() != name || n < strings.LastIndex(sampleName, ".")+2):
			t.Errorf("%q was read as %+v", name, s)
		}
	}
}

func TestParseTakesTheExtremes(t *testing.T) {
	good := map[int][]string{
		fPID:       {"1", "2147483647"},
		fStart:     {"0", "3w5e11264sgsf"},
		fBoot:      {strings.Repeat("0", 32)},
		fPIDNS:     {"0", "18446744073709551615"},
		fTimeNS:    {"0", "18446744073709551615"},
		fGroup:     {"0", "2147483647"},
		fHeartbeat: {"0", "9223372036854"},
		fStale:     {"0", "3600001", "9223372036854"},
		fClock:     {"h", "u"},
		fHash:      {strings.Repeat("0", 16), strings.Repeat("f", 16)},
		fLabel:     {"-", "--", "0", strings.Repeat("a", 32)},
	}
	for at, texts := range good {
		for _, text := range texts {
			name := field(t, at, text)
			if s, err := Parse(name); err != nil || s.Name() != name {
				t.Errorf("field %d = %q: %q, %v", at, text, s.Name(), err)
			}
		}
	}
}

// The worst case of every field at once: it fits, keeps its identity, and a
// label of at least one character, for a trailing dot does not survive SMB.
func TestNameAlwaysFits(t *testing.T) {
	s := sampleStamp()
	s.PID, s.Group = math.MaxInt32, math.MaxInt32
	s.Start, s.GroupStart, s.HostHash = math.MaxUint64, math.MaxUint64, math.MaxUint64
	s.PIDNS, s.TimeNS = math.MaxUint64, math.MaxUint64
	s.Heartbeat, s.Stale = math.MaxInt64, math.MaxInt64
	s.Label = strings.Repeat("x", 40)
	got, err := Parse(s.Name())
	if err != nil || len(s.Name()) != MaxName {
		t.Fatalf("%d bytes: %v", len(s.Name()), err)
	}
	want := s
	want.TimeNS, want.Label = 0, got.Label
	want.Heartbeat, want.Stale = want.Heartbeat.Truncate(time.Millisecond), want.Stale.Truncate(time.Millisecond)
	if got != want || got.Label == "" || strings.Trim(got.Label, "x") != "" {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}

	// With namespace numbers as Linux has them nothing but the label gives way.
	s.PIDNS, s.TimeNS, s.Heartbeat, s.Stale = math.MaxUint32, math.MaxUint32, MaxStale/3, MaxStale
	if got, err = Parse(s.Name()); err != nil || got.TimeNS != s.TimeNS || len(got.Label) < 16 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestNameOfWhatNoStampMayBe(t *testing.T) {
	for what, spoil := range map[string]func(*Stamp){
		"version":        func(s *Stamp) { s.Version = 0 },
		"no uuid":        func(s *Stamp) { s.UUID = uuid.Nil },
		"pid 0":          func(s *Stamp) { s.PID = 0 },
		"pid negative":   func(s *Stamp) { s.PID = -4711 },
		"pid huge":       func(s *Stamp) { s.PID = math.MaxInt32 + 1 },
		"group one":      func(s *Stamp) { s.Group = 1 },
		"group negative": func(s *Stamp) { s.Group = -1 },
	} {
		s := sampleStamp()
		spoil(&s)
		if _, err := Parse(s.Name()); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", what, err)
		}
	}
	s := sampleStamp()
	s.Heartbeat, s.Stale, s.Clock, s.Label = -time.Second, 1500*time.Microsecond, 'x', "../Ä.B"
	got, err := Parse(s.Name())
	if err != nil || got.Heartbeat != 0 || got.Stale != time.Millisecond || got.Clock != ClockUnknown || got.Label != "-----b" {
		t.Errorf("%+v, %v", got, err)
	}
}

// A newer version keeps our fields, may add to them, and is read as far as that.
func TestScenario058NewerVersion(t *testing.T) {
	for _, more := range []string{"", ".", ".x", ".a_b-c.7..z"} {
		name := strings.Replace(field(t, fVersion, "999"), ".f.", ".q.", 1) + more
		got, err := Parse(name)
		if err != nil || got.Known() || got.Name() != name {
			t.Fatalf("%q: %+v, %v", name, got, err)
		}
		if got.Clock == ClockFS || got.Clock == ClockHolder || got.Clock == ClockUnknown {
			t.Errorf("clock of a later version taken for %q", got.Clock)
		}
		got.Version, got.Clock, got.more = 1, ClockFS, ""
		if got != sampleStamp() {
			t.Errorf("%q: the frozen fields are %+v", name, got)
		}
	}
	for _, name := range []string{
		field(t, fVersion, "2") + ".X", field(t, fVersion, "2") + ".a b", field(t, fVersion, "2") + "." + strings.Repeat("a", 100),
		strings.Replace(field(t, fVersion, "2"), ".f.", ".Q.", 1), strings.Replace(field(t, fVersion, "2"), ".f.", ".qq.", 1),
		strings.Replace(field(t, fVersion, "2"), ".4711.", ".0.", 1),
	} {
		if _, err := Parse(name); !errors.Is(err, ErrFormat) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if !sampleStamp().Known() {
		t.Error("our own version is not known")
	}
}

func TestBounds(t *testing.T) {
	for _, c := range []struct{ heartbeat, stale, wantHeartbeat, wantStale time.Duration }{
		{time.Second, 30 * time.Second, time.Second, 30 * time.Second},
		{10 * time.Second, 30 * time.Second, 10 * time.Second, 30 * time.Second},
		{10*time.Second + 1, 30 * time.Second, 10 * time.Second, 30 * time.Second},
		{time.Second, time.Hour, time.Second, time.Hour},
		{time.Second, time.Hour + 1, time.Second, time.Hour},
		{math.MaxInt64, math.MaxInt64, 20 * time.Minute, time.Hour},
		{0, 0, 10 * time.Millisecond, 30 * time.Millisecond},
		{-1, -1, 10 * time.Millisecond, 30 * time.Millisecond},
		{10 * time.Millisecond, 30 * time.Millisecond, 10 * time.Millisecond, 30 * time.Millisecond},
		{0, time.Second, 10 * time.Millisecond, time.Second},
		{time.Second, 0, 10 * time.Millisecond, 30 * time.Millisecond},
	} {
		heartbeat, stale := Stamp{Heartbeat: c.heartbeat, Stale: c.stale}.Bounds()
		if heartbeat != c.wantHeartbeat || stale != c.wantStale {
			t.Errorf("%v of %v: %v of %v, want %v of %v", c.heartbeat, c.stale, heartbeat, stale, c.wantHeartbeat, c.wantStale)
		}
	}
}
