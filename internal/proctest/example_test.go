package proctest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

func TestMain(m *testing.M) {
	proctest.Main()
	code := m.Run()
	proctest.Clean()
	os.Exit(code)
}

// The settings that most tests use, for a lock in a fresh directory. With a *testing.T at hand, proctest.Start(t, cfg)
// then runs a second process, and p.Want("ACQ", "acquire") has it take the lock.
func ExampleQuick() {
	cfg := proctest.Quick(filepath.Join(os.TempDir(), "lock"))
	fmt.Println(cfg.Heartbeat, cfg.Stale, cfg.Wait)
	// Output: 400ms 4s 30s
}

func TestWords(t *testing.T) {
	proctest.Each(t, func(t *testing.T, dir string) {
		cfg := proctest.Quick(filepath.Join(dir, "lock"))
		cfg.Witness = filepath.Join(t.TempDir(), "witness")
		a, b := proctest.Start(t, cfg), proctest.Start(t, cfg)
		token := a.Want("ACQ", "acquire")
		if names := proctest.Names(cfg.Path); names != token {
			t.Errorf("%s holds, and in the directory is %s", token, names)
		}
		if !proctest.Exists(cfg.Witness) {
			t.Error("no witness")
		}
		a.Want("OK", "check")
		a.Want("LIVE", "context")
		b.Want("HELD", "try")
		b.Want("HELD", "acquire", "wait=50ms")
		b.Send("acquire")
		b.Quiet(50 * time.Millisecond)
		a.Want("REL", "release")
		a.Want("ENDED", "context")
		b.Expect("ACQ", proctest.Patience)
		b.Want("REL", "release")
		a.Want("DONE", "turn", "1ms")
		a.Want("DONE", "loop", "3")
		a.Want("STATE", "inspect", "2")
		a.Want("ERR", "nonsense")
		if proctest.Exists(cfg.Witness) {
			t.Error("the witness stayed")
		}
	})
}
