// Driver measures mkdirlock beside its peers: it starts a worker program for each, times what they do, judges mkdirlock by the
// bars, and makes tables and plots. README.md of the module says more.
package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/aac6cccc/mkdirlock/bench/internal/record"
	"github.com/aac6cccc/mkdirlock/bench/internal/report"
	"github.com/aac6cccc/mkdirlock/bench/internal/worker"
)

// An order is what the command line asks for.
type order struct {
	suite                       string
	one                         step
	peers                       string
	out, report, disk, mem, run string
}

func main() {
	var o order
	flag.StringVar(&o.suite, "suite", "", "measure a suite: "+strings.Join(names(suites), "|"))
	flag.StringVar(&o.one.test, "test", "", "measure one test: "+strings.Join(names(tests), "|"))
	flag.StringVar(&o.peers, "peers", "", "for -test: `NAME[:PROFILE],...` (default all)")
	flag.StringVar(&o.one.fs, "fs", "", "for -test: one kind of file system (default all)")
	flag.IntVar(&o.one.reps, "reps", 0, "for -test: repetitions (default the test's own)")
	flag.IntVar(&o.one.lanes, "lanes", 0, "for -test: repetitions that sleep at the same time")
	flag.IntVar(&o.one.procs, "procs", 0, "for -test: processes, or locks")
	flag.IntVar(&o.one.secs, "secs", 0, "for -test: seconds of running or watching")
	flag.DurationVar(&o.one.settle, "settle", 0, "for -test: how long before anything is timed")
	flag.DurationVar(&o.one.limit, "limit", 0, "for -test: how long an acquisition may take")
	flag.StringVar(&o.out, "out", "results.jsonl", "results are appended to this file")
	flag.StringVar(&o.report, "report", "", "write tables and plots to this directory")
	flag.StringVar(&o.run, "run", "", "without -suite and -test: report this run from -out (default the last one)")
	flag.StringVar(&o.disk, "disk", os.TempDir(), "a directory on a disk")
	flag.StringVar(&o.mem, "memory", "/dev/shm", "a directory on a tmpfs")
	flag.Parse()
	if err := o.do(); err != nil {
		fmt.Fprintln(os.Stderr, "driver:", err)
		os.Exit(1)
	}
}

func names[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

func (o order) do() error {
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	steps, err := o.steps()
	if err != nil {
		return err
	}
	var failed error
	if len(steps) > 0 {
		failed = o.measure(steps)
	}
	return errors.Join(failed, o.print())
}

func (o order) steps() ([]step, error) {
	switch {
	case o.suite != "" && o.one.test != "":
		return nil, errors.New("either -suite or -test")
	case o.suite != "":
		steps, ok := suites[o.suite]
		if !ok {
			return nil, fmt.Errorf("no suite %q: one of %q", o.suite, names(suites))
		}
		return steps, nil
	case o.one.test != "":
		if _, ok := tests[o.one.test]; !ok {
			return nil, fmt.Errorf("no test %q: one of %q", o.one.test, names(tests))
		}
		if o.peers != "" {
			o.one.peers = strings.Split(o.peers, ",")
		}
		return []step{o.one}, nil
	}
	return nil, nil
}

func (o order) measure(steps []step) (err error) {
	b := &bench{bin: "bin", began: time.Now()}
	if b.peers, err = loadPeers("peers.json"); err != nil {
		return fmt.Errorf("%w (run this in the bench directory)", err)
	}
	if b.errlog, err = os.OpenFile("stderr.log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644); err != nil {
		return err
	}
	defer b.errlog.Close()
	if b.log, err = record.Create(o.out, time.Now().UTC().Format("20060102T150405.000Z")); err != nil {
		return err
	}
	defer b.log.Close()
	if err := build(b.bin); err != nil {
		return err
	}
	if err := environment(); err != nil {
		return err
	}
	for _, base := range []string{o.disk, o.mem} {
		at, err := newPlace(base)
		if err != nil {
			return err
		}
		b.places = append(b.places, at)
	}
	defer func() { err = errors.Join(err, b.clean()) }()
	go b.cleanOnSignal()
	if b.places[0].fs == b.places[1].fs {
		return fmt.Errorf("%s and %s are both on %s: choose others with -disk and -memory", o.disk, o.mem, b.places[0].fs)
	}
	info := machine(o.suite, o.one.test)
	if err := b.log.Add(record.Record{Test: record.Run, Info: info}); err != nil {
		return err
	}
	return b.all(steps)
}

// all says who is missing, and measures what is there.
func (b *bench) all(steps []step) error {
	wanted := b.wanted(steps)
	for i := range b.peers {
		p := &b.peers[i]
		b.probe(p)
		if !slices.Contains(wanted, p.Name) {
			continue
		}
		if p.missing != "" {
			fmt.Fprintf(os.Stderr, "MISSING %s: %s\n", p.Name, p.missing)
		}
		about := record.Record{Test: record.Peer, Peer: p.Name, Failed: p.missing, Info: map[string]string{"kind": p.Kind, "version": p.version}}
		if err := b.log.Add(about); err != nil {
			return err
		}
	}
	var failed error
	for _, s := range steps {
		if err := b.run(s); err != nil {
			failed = errors.New("some rows could not be measured; see above")
		}
	}
	return failed
}

// environment lets scripts find what setup has installed, and leave nothing beside themselves.
func environment() error {
	modules, err := filepath.Abs("bin/npm/node_modules")
	if err != nil {
		return err
	}
	if os.Getenv("NODE_PATH") == "" {
		os.Setenv("NODE_PATH", modules)
	}
	return os.Setenv("PYTHONDONTWRITEBYTECODE", "1")
}

// clean removes the directories of this run.
func (b *bench) clean() error {
	var errs []error
	for _, p := range b.places {
		errs = append(errs, p.remove())
	}
	return errors.Join(errs...)
}

func (b *bench) cleanOnSignal() {
	told := make(chan os.Signal, 1)
	signal.Notify(told, os.Interrupt, syscall.SIGTERM)
	<-told
	worker.KillAll()
	if err := b.clean(); err != nil {
		fmt.Fprintln(os.Stderr, "driver:", err)
	}
	os.Exit(130)
}

// print reports a run from the results.
func (o order) print() error {
	f, err := os.Open(o.out)
	if err != nil {
		return err
	}
	defer f.Close()
	all, err := record.Read(f)
	if err != nil {
		return fmt.Errorf("%s: %w", o.out, err)
	}
	rows := record.Last(all)
	if o.run != "" {
		rows = record.Of(all, o.run)
	}
	if len(rows) == 0 {
		return fmt.Errorf("%s: no such run", o.out)
	}
	fmt.Print(report.Markdown(rows))
	if o.report == "" {
		return nil
	}
	return report.Write(o.report, rows)
}
