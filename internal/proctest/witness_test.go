package proctest

import (
	"path/filepath"
	"testing"
)

// The judge itself must see two.
func TestWitnessSeesTwo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "witness")
	first, err := enter(path, "one")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := enter(path, "two"); err == nil {
		t.Fatal("two are inside")
	}
	if err := first.leave(); err != nil {
		t.Fatal(err)
	}
	again, err := enter(path, "three")
	if err != nil {
		t.Fatal(err)
	}
	if err := again.leave(); err != nil {
		t.Fatal(err)
	}
	if err := again.leave(); err != nil {
		t.Error("leaving twice:", err)
	}
}
