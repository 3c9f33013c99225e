//go:build linux

package fusetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/aac6cccc/mkdirlock/dirlock"
)

// inside makes the witness that this is the only one inside, stays for a while, and takes it away. The lock must hold for as long.
func inside(witness string, l *dirlock.Lock, stay time.Duration) error {
	f, err := os.OpenFile(witness, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("two holders: %w", err)
	}
	f.Close()
	time.Sleep(stay)
	ended := l.Context().Err() != nil
	if err := os.Remove(witness); err != nil {
		return fmt.Errorf("two holders: %w", err)
	}
	if ended {
		return context.Cause(l.Context())
	}
	return nil
}

// moment is a short stay.
const moment = 2 * time.Millisecond

// contend, in a second process, takes a lock as often as is said and for as long, with a witness each time: "ok LONGEST", or what
// went wrong.
func contend(words []string) string {
	path, witness := words[0], words[1]
	rounds, err := strconv.Atoi(words[2])
	stay, serr := time.ParseDuration(words[3])
	if err := errors.Join(err, serr); err != nil {
		return err.Error()
	}
	var longest time.Duration
	for range rounds {
		m := short
		m.Path, m.Wait = path, ample(20*time.Second)
		began := time.Now()
		l, err := m.Acquire(context.Background())
		longest = max(longest, time.Since(began))
		if err != nil {
			return fmt.Sprint("the rival: ", err)
		}
		if err := errors.Join(inside(witness, l, stay), l.Release()); err != nil {
			return fmt.Sprint("the rival: ", err)
		}
		time.Sleep(time.Millisecond) // let the other one in
	}
	return fmt.Sprint("ok ", longest.Round(time.Millisecond))
}

// witness is where the witness of a lock stands.
func witness(dir, name string) string { return filepath.Join(dir, "witness-"+name) }
