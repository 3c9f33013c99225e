package proctest

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/aac6cccc/mkdirlock/stamp"
)

// Stamp returns a stamp such as a holder with these settings would make that runs where the test runs, under a fresh
// uuid. It names the test's own process; see Dead.
func (c Config) Stamp() stamp.Stamp {
	self := stamp.Self()
	return stamp.Stamp{
		Version: stamp.Version, UUID: uuid.New(),
		PID: self.PID, Start: self.Start, Boot: self.Boot, PIDNS: self.PIDNS, TimeNS: self.TimeNS,
		Heartbeat: c.Heartbeat, Stale: c.Stale, Clock: stamp.ClockFS,
		HostHash: stamp.HostHash(self.Host), Label: stamp.Label(self.Host),
	}
}

// Foreign changes a stamp into one of another machine's: nobody here can say whether its owner lives.
func Foreign(s *stamp.Stamp) { s.Boot[0] ^= 0xff }

// Forge makes path a lock directory if there is none, with a stamp in it as edited, whose last heartbeat was age ago (a
// negative age: lies ahead). It returns the stamp's name. The file has the content that a holder would have written.
func (c Config) Forge(t testing.TB, age time.Duration, edits ...func(*stamp.Stamp)) string {
	t.Helper()
	s := c.Stamp()
	for _, edit := range edits {
		edit(&s)
	}
	name := s.Name()
	if _, err := stamp.Parse(name); err != nil {
		t.Fatalf("the forged stamp is none: %v", err)
	}
	content := s.Content(stamp.Self().Host)
	content.Program = "forged"
	c.ForgeName(t, age, name, content.Encode())
	return name
}

// ForgeName is Forge with any name and content.
func (c Config) ForgeName(t testing.TB, age time.Duration, name string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(c.Path, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(c.Path, 0o777); err != nil { // as below a parent that is open to all
		t.Fatal(err)
	}
	path := filepath.Join(c.Path, name)
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	Age(t, path, age)
	Age(t, c.Path, age)
}

// Age sets the mtime of path back by age.
func Age(t testing.TB, path string, age time.Duration) {
	t.Helper()
	then := time.Now().Add(-age)
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
}

// KeepMoving sets the mtime of path every so often to what the clock says then, changed by off, until the returned
// function is called or the test ends.
func KeepMoving(t testing.TB, path string, every, off time.Duration) (stop func()) {
	t.Helper()
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			then := time.Now().Add(off)
			if err := os.Chtimes(path, then, then); err != nil {
				t.Errorf("the forged heartbeat failed: %v", err)
				return
			}
			select {
			case <-done:
				return
			case <-time.After(every):
			}
		}
	}()
	var once bool
	stop = func() {
		if !once {
			once = true
			close(done)
			<-stopped
		}
	}
	t.Cleanup(stop)
	return stop
}
