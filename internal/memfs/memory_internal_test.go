package memfs

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// A host that looks for ever new names remembers no more than it has to, and keeps what still counts.
func TestMemoryIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewServer()
		a, b := s.NFS3("a"), s.NFS3("b")
		if a.Create("/m", nil, 0o644) != nil || b.Touch("/m") != nil {
			t.Fatal("no file")
		}
		for i := range 5000 {
			time.Sleep(10 * time.Second)
			b.Stat(fmt.Sprintf("/%d", i*7919%5000)) // on both sides of m
			if got := len(b.view(s.root).names); got > 130 {
				t.Fatalf("%d names after %d", got, i)
			}
		}
		if err := b.Touch("/4999x"); err == nil {
			t.Error("touched what never was")
		}
		for i := range 300 { // all young
			b.Stat(fmt.Sprintf("/young%d", i))
		}
		if a.Create("/young7", nil, 0o644) != nil || a.Unlink("/m") != nil {
			t.Fatal("no file")
		}
		if _, err := b.Stat("/young7"); err == nil {
			t.Error("forgot what had been missing a moment ago")
		}
		if err := b.Touch("/m"); err != nil {
			t.Errorf("forgot what it knew: %v", err)
		}
	})
}
