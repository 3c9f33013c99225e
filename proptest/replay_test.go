package proptest

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// What a run prints can be run again, and the same happens.
func TestScriptsReplay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first, script := drawn(t, profiles[rapid.SampledFrom(sortedKeys(profiles)).Draw(t, "profile")])
		parsed, err := ParseScript(script.String())
		if err != nil {
			t.Fatal(err)
		}
		if again := played(t, parsed); again != first {
			t.Fatalf("%s\n%s", script, difference(first, again))
		}
	})
}

// No verdict depends on a host's date: where files do not carry it, the same happens whatever it is.
func TestDatesDoNotMatter(t *testing.T) {
	p := profiles["Clocks"]
	p.mounts = []Mount{Local, NFS3, NFS4}
	rapid.Check(t, func(t *rapid.T) {
		first, script := drawn(t, p)
		other := Script{Config: script.Config}
		for _, a := range script.Actions {
			switch a.Verb {
			case "host":
				a.Opt = append([]string{"wall=" + time.Duration(rapid.Int64Range(-1e17, 1e17).Draw(t, "date")).String()}, withoutWall(a.Opt)...)
			case "shift":
				a.For = time.Duration(rapid.Int64Range(-1e17, 1e17).Draw(t, "shift"))
			}
			other.Actions = append(other.Actions, a)
		}
		if again := played(t, other); again != first {
			t.Fatalf("%s\n%s", other, difference(first, again))
		}
	})
}

func withoutWall(words []string) (rest []string) {
	for _, w := range words {
		if !strings.HasPrefix(w, "wall=") {
			rest = append(rest, w)
		}
	}
	return rest
}

// drawn draws and runs a schedule, and returns what happened and the script.
func drawn(t *rapid.T, p profile) (happened string, s Script) {
	rapid.SyncTest(t, func(t *rapid.T) {
		d := newDrawer(t, p)
		defer d.w.Close()
		t.Repeat(map[string]func(*rapid.T){"act": d.act, "": func(*rapid.T) {}})
		_ = d.w.Finish(d.last(t)) // that promises are kept is for others to look at
		happened, s = d.w.events(), d.w.Script()
	})
	return happened, s
}

// played runs a script, and returns what happened.
func played(t *rapid.T, s Script) (happened string) {
	rapid.SyncTest(t, func(*rapid.T) {
		w := New(s.Config)
		defer w.Close()
		for _, a := range s.Actions {
			_ = w.Do(a) // what made no sense makes none again
		}
		happened = w.events()
	})
	return happened
}

// events spells what happened, without what was done. Errors tell people dates, so only whether there was one counts.
func (w *World) events() string {
	var b strings.Builder
	for _, e := range w.trace.events {
		if e.action != nil {
			continue
		}
		failed := e.err != nil
		e.err = nil
		b.WriteString(e.String())
		if failed {
			b.WriteString(" -> an error")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// difference shows where two traces part.
func difference(a, b string) string {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(as), len(bs)) {
		if as[i] != bs[i] {
			from := max(0, i-10)
			return strings.Join(as[from:min(i+3, len(as))], "\n") + "\n--- and the other\n" + strings.Join(bs[from:min(i+3, len(bs))], "\n")
		}
	}
	return "one is longer"
}
