package proptest

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
)

func TestParseFault(t *testing.T) {
	for line, want := range map[string]Action{
		"fault p unlink:own+2 after stop":           {Op: "unlink:own", Skip: 2, When: After, What: "stop"},
		"fault p any+0 before kill":                 {What: "kill"},
		"fault p create:vacant+0 after hold":        {Op: "create:vacant", When: After, What: "hold"},
		"fault p mkdir+0 before fail EIO":           {Op: "mkdir", What: "fail", Err: syscall.EIO},
		"fault p stat:other+1 before fail EIO x20":  {Op: "stat:other", Skip: 1, What: "fail", Err: syscall.EIO, Opt: []string{"x20"}},
		"fault p touch:probe+0 before late EIO":     {Op: "touch:probe", What: "late", Err: syscall.EIO},
		"fault p rmdir:lock+0 after unheard EACCES": {Op: "rmdir:lock", When: After, What: "unheard", Err: syscall.EACCES},
		"fault p create+0 after replay x2":          {Op: "create", When: After, What: "replay", Opt: []string{"x2"}},
		"fault p list+0 before miss":                {Op: "list", What: "miss"},
	} {
		want.Verb, want.On = "fault", "p"
		got, err := ParseAction(line)
		if got.Opt = append([]string(nil), got.Opt...); err != nil || !reflect.DeepEqual(got, want) || got.String() != line {
			t.Errorf("%q is %+v (%s), %v", line, got, got, err)
		}
	}
}

// What nobody can have meant is an error, which says what it is about.
func TestParseFaultErrors(t *testing.T) {
	for line, because := range map[string]string{
		"fault p":                                   "unlink+0",
		"fault p mkdir before stop":                 `"mkdir"`,
		"fault p mkdir+x before stop":               `"mkdir+x"`,
		"fault p mkdir+-1 before stop":              `"mkdir+-1"`,
		"fault p makedir+0 before stop":             `"makedir"`,
		"fault p unlink:mine+0 before stop":         `"unlink:mine"`,
		"fault p any:own+0 before stop":             `"any:own"`,
		"fault p mkdir+0":                           "before or after",
		"fault p mkdir+0 during stop":               `"during"`,
		"fault p mkdir+0 stop":                      `"stop"`,
		"fault p mkdir+0 before":                    `"" is no such fault`,
		"fault p mkdir+0 before explode":            `"explode"`,
		"fault p mkdir+0 before fail":               "fail",
		"fault p mkdir+0 before fail x3":            "fail",
		"fault p mkdir+0 before fail EWHAT":         `"EWHAT"`,
		"fault p mkdir+0 before late":               "late",
		"fault p mkdir+0 after unheard":             "unheard",
		"fault p mkdir+0 after fail EIO":            `"after"`,
		"fault p mkdir+0 after late EIO":            `"after"`,
		"fault p mkdir+0 before unheard EIO":        `"before"`,
		"fault p mkdir+0 before replay":             `"before"`,
		"fault p list+0 after miss":                 `"after"`,
		"fault p mkdir+0 before stop EIO":           `"EIO"`,
		"fault p mkdir+0 before fail EIO 3":         `"3"`,
		"fault p mkdir+0 before fail EIO x":         `"x"`,
		"fault p mkdir+0 before fail EIO x0":        `"x0"`,
		"fault p mkdir+0 before fail EIO x-1":       `"x-1"`,
		"fault p mkdir+0 before fail EIO x9e9":      `"x9e9"`,
		"fault p mkdir+0 before fail EIO x3 x4":     `"x4"`,
		"fault p mkdir+0 before fail EIO sometimes": `"sometimes"`,
	} {
		a, err := ParseAction(line)
		if err == nil || !strings.Contains(err.Error(), line) || !strings.Contains(strings.ReplaceAll(err.Error(), line, ""), because) {
			t.Errorf("%q is %s, %v; want an error about %s", line, a, err, because)
		}
	}
}

// An action that was not read, but made, is looked at as well.
func TestDoRefusesFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := New(Config{})
		defer w.Close()
		for _, a := range []Action{{Verb: "host", On: "h"}, {Verb: "start", On: "p", Opt: []string{"h"}}} {
			if err := w.Do(a); err != nil {
				t.Fatal(err)
			}
		}
		for _, a := range []Action{{What: "fail"}, {What: "stop", Opt: []string{"x"}}, {What: "explode"}, {Op: "makedir", What: "stop"}, {What: "stop", Skip: -1}, {}} {
			a.Verb, a.On = "fault", "p"
			if err := w.Do(a); err == nil {
				t.Errorf("%s was done", a)
			}
		}
	})
}

// FuzzParseScript looks for a text that is read, and then printed as something else.
func FuzzParseScript(f *testing.F) {
	files, err := filepath.Glob("testdata/schedules/*.txt")
	if err != nil || len(files) == 0 {
		f.Fatalf("no schedules: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("world smb fine latency=1m\nhost h wall=-1h\nfault p any+1 after unheard EIO x3 # no more\nfinish h")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseScript(text)
		if err != nil {
			return
		}
		again, err := ParseScript(s.String())
		if err != nil || !reflect.DeepEqual(again, s) {
			t.Errorf("%q\nis printed as\n%s\nand read as\n%s\n%v", text, s, again, err)
		}
	})
}
