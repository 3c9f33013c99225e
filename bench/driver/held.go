package main

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/aac6cccc/mkdirlock/bench/internal/record"
	"github.com/aac6cccc/mkdirlock/bench/internal/worker"
	"github.com/aac6cccc/mkdirlock/bench/kit"
)

// held is what it costs one process to keep many locks alive: processor time in windows, threads, and how old a heartbeat
// gets.
func (b *bench) held(r row, rec *record.Record) error {
	dir, err := r.place.dir()
	if err != nil {
		return err
	}
	began := kit.Now()
	w, err := b.start(r, dir, nil, "held", strconv.Itoa(r.procs))
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	defer w.Kill()
	at, err := w.Expect("ACQ", 2*time.Minute)
	if err != nil {
		return err
	}
	rec.N["acquire_ms"] = float64(at-began) / 1e6
	time.Sleep(r.settle) // the first heartbeats do more than later ones
	for range r.reps {
		before := worker.CPU(w)
		threads, err := mostThreads(w, r.window())
		if err != nil {
			return err
		}
		rec.Samples = append(rec.Samples, worker.CPU(w)-before)
		rec.N["threads"] = max(rec.N["threads"], float64(threads))
	}
	for range 3 { // after the windows, whose processor time it would disturb, and at no fixed distance from the beats
		time.Sleep(rand.N(time.Second))
		oldest, files, err := oldestBeat(dir)
		if err != nil {
			return err
		}
		rec.N["oldest_ms"] = max(rec.N["oldest_ms"], oldest.Seconds()*1e3)
		rec.N["files"] = float64(files)
	}
	rec.N["secs"], rec.N["locks"] = float64(r.secs), float64(r.procs)
	return nil
}

// mostThreads looks for so long at how many threads there are.
func mostThreads(w *worker.Worker, long time.Duration) (most int, err error) {
	for end := time.Now().Add(long); time.Now().Before(end); time.Sleep(min(time.Second, max(0, time.Until(end)))) {
		n := w.Threads()
		if n == 0 {
			return 0, fmt.Errorf("the worker has ended")
		}
		most = max(most, n)
	}
	return most, nil
}

// oldestBeat looks at each lock's last sign of life, the newest mtime of its directory and what is in it, and returns the age
// of the oldest of them. Ages are true here, since files and this process have one kernel's clock.
func oldestBeat(dir string) (oldest time.Duration, locks int, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, 0, err
	}
	for _, e := range entries {
		if !e.IsDir() || filepath.Ext(e.Name()) == ".dirlock" {
			continue
		}
		newest, err := newestBelow(filepath.Join(dir, e.Name()))
		if err != nil {
			return 0, 0, err
		}
		locks++
		oldest = max(oldest, time.Since(newest))
	}
	if locks == 0 {
		return 0, 0, fmt.Errorf("no locks in %s", dir)
	}
	return oldest, locks, nil
}

func newestBelow(lock string) (newest time.Time, err error) {
	err = filepath.WalkDir(lock, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.ModTime().After(newest) {
			newest = info.ModTime()
		}
		return err
	})
	return newest, err
}
