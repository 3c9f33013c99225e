package fsystest

import (
	"fmt"
	"sync"
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

const (
	racers = 6
	rounds = 100
)

// race runs f by all racers at once and returns what each got.
func race(f func(i int) error) []error {
	var wg sync.WaitGroup
	start := make(chan struct{})
	errs := make([]error, racers)
	for i := range racers {
		wg.Go(func() {
			<-start
			errs[i] = f(i)
		})
	}
	close(start)
	wg.Wait()
	return errs
}

func oneWinner(t *testing.T, errs []error, path string) {
	t.Helper()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else {
			fails(t, err, path, fsys.Exist)
		}
	}
	if won != 1 {
		t.Fatalf("%d winners", won)
	}
}

func testRaceMkdir(t *testing.T, s *suite) {
	p := s.path()
	for range rounds {
		oneWinner(t, race(func(int) error { return s.f.Mkdir(p, 0o755) }), p)
		ok(t, s.f.Rmdir(p))
	}
}

func testRaceCreate(t *testing.T, s *suite) {
	p := s.dir(t)
	file := join(p, "file")
	for range rounds {
		oneWinner(t, race(func(i int) error { return s.f.Create(file, []byte{byte(i)}, 0o644) }), file)
		ok(t, s.f.Unlink(file))
	}
}

// testRaceListing is what the protocol's safety rests on: of two that create and then list, one at least sees the other.
func testRaceListing(t *testing.T, s *suite) {
	p := s.dir(t)
	for round := range rounds {
		var saw [racers]map[string]bool
		errs := race(func(i int) error {
			d, err := s.f.OpenDir(p)
			if err != nil {
				return err
			}
			defer d.Close()
			if err := d.Create(fmt.Sprint(i), nil, 0o644); err != nil {
				return err
			}
			list, err := d.List()
			saw[i] = make(map[string]bool)
			for _, e := range list {
				saw[i][e.Name] = true
			}
			return err
		})
		for i := range racers {
			ok(t, errs[i])
			if !saw[i][fmt.Sprint(i)] {
				t.Fatalf("round %d: %d does not see its own", round, i)
			}
			for j := range i {
				if !saw[i][fmt.Sprint(j)] && !saw[j][fmt.Sprint(i)] {
					t.Fatalf("round %d: %d and %d do not see each other", round, i, j)
				}
			}
			ok(t, s.f.Unlink(join(p, fmt.Sprint(i))))
		}
	}
}
