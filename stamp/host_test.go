package stamp

import (
	"strings"
	"testing"
)

func TestLabel(t *testing.T) {
	for host, want := range map[string]string{
		"":                            "-", // scenario 20
		"db-1":                        "db-1",
		"DB1.Example.ORG":             "db1-example-org",
		"Zürich":                      "z-rich",
		"a\x00b\nc/d":                 "a-b-c-d",
		"\xff\xfe":                    "--",
		"..":                          "--",
		strings.Repeat("h", 64):       strings.Repeat("h", 32),
		strings.Repeat("日", 40):       strings.Repeat("-", 32),
		strings.Repeat("a", 31) + "é": strings.Repeat("a", 31) + "-",
	} {
		if got := Label(host); got != want {
			t.Errorf("Label(%q) = %q, want %q", host, got, want)
		}
		if again := Label(want); again != want {
			t.Errorf("Label(%q) = %q", want, again)
		}
	}
}

// The hash is frozen: it is compared across versions, and FNV-1a is published with these values.
func TestHostHashIsFrozen(t *testing.T) {
	for host, want := range map[string]uint64{"": 0xcbf29ce484222325, "a": 0xaf63dc4c8601ec8c, "foobar": 0x85944171f73967e8} {
		if got := HostHash(host); got != want {
			t.Errorf("HostHash(%q) = %#x, want %#x", host, got, want)
		}
	}
	if HostHash("db") == HostHash("db.example.org") || HostHash("DB") == HostHash("db") || HostHash("\xff") == HostHash("\ufffd") {
		t.Error("names that differ count as one")
	}
}

func TestSameHostAndName(t *testing.T) {
	base := Identity{PID: 1, Boot: Boot{1}, PIDNS: 4026531836, Host: "db-1"}
	same := Stamp{PID: 2, Boot: Boot{1}, PIDNS: 4026531836, HostHash: HostHash("db-1")}
	for what, c := range map[string]struct {
		spoil              func(*Identity, *Stamp)
		sameHost, sameName bool
	}{
		"equal":             {func(*Identity, *Stamp) {}, true, true},
		"another boot":      {func(_ *Identity, s *Stamp) { s.Boot[15] = 1 }, false, true}, // scenario 6
		"another namespace": {func(_ *Identity, s *Stamp) { s.PIDNS++ }, false, true},      // scenario 3
		"both boots unknown": {func(id *Identity, s *Stamp) {
			id.Boot, s.Boot = Boot{}, Boot{}
		}, false, true},
		"both namespaces unknown": {func(id *Identity, s *Stamp) { id.PIDNS, s.PIDNS = 0, 0 }, false, true},
		"another name":            {func(id *Identity, _ *Stamp) { id.Host = "db-2" }, true, false}, // scenario 18
		"a longer name":           {func(id *Identity, _ *Stamp) { id.Host = "db-1.example.org" }, true, false},
		"another time namespace":  {func(_ *Identity, s *Stamp) { s.TimeNS = 9 }, true, true},
	} {
		id, s := base, same
		c.spoil(&id, &s)
		if id.SameHost(s) != c.sameHost || id.SameName(s) != c.sameName {
			t.Errorf("%s: host %v, name %v", what, id.SameHost(s), id.SameName(s))
		}
	}
}

func TestBootText(t *testing.T) {
	b := Boot{0xab, 15: 1}
	text, _ := b.MarshalText()
	var back Boot
	if err := back.UnmarshalText(text); err != nil || back != b || string(text) != b.String() || len(text) != 32 {
		t.Errorf("%s: %v, %v", text, back, err)
	}
	for _, bad := range []string{"", "ab", strings.Repeat("g", 32), strings.Repeat("a", 33)} {
		if back.UnmarshalText([]byte(bad)) == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	if b.IsZero() || !(Boot{}).IsZero() {
		t.Error("IsZero")
	}
}
