package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/container"
	"github.com/aac6cccc/mkdirlock/dirlock"
	"github.com/aac6cccc/mkdirlock/stamp"
)

var update = flag.Bool("update", false, "write what is said now into testdata, to be read before it is committed")

// golden compares with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is no longer what is said; that is now:\n%s", path, got)
	}
}

// say runs a command line in this process, which must not run a command under a lock.
func say(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = execute(args, &out, &errs)
	return code, out.String(), errs.String()
}

func TestHelp(t *testing.T) {
	for name, args := range map[string][]string{
		"help.txt":        {"help"},
		"help-run.txt":    {"help", "run"},
		"help-status.txt": {"help", "status"},
	} {
		code, out, errs := say(args...)
		if code != 0 || errs != "" {
			t.Errorf("%q: code %d, %q", args, code, errs)
		}
		golden(t, name, out)
	}
}

// Every exit code and every variable that the code has, the help has.
func TestHelpIsComplete(t *testing.T) {
	_, run, _ := say("run", "--help")
	for _, want := range []string{" 2 ", " 74 ", " 75 ", " 76 ", "126, 127 ", "DIRLOCK_WAIT", "DIRLOCK_STALE", "DIRLOCK_HEARTBEAT"} {
		if !strings.Contains(run, want) {
			t.Errorf("the help of run has no %q", want)
		}
	}
}

// report is one with every field filled in, and with what a terminal might obey.
func sampleReport() dirlock.Report {
	s := stamp.Stamp{Version: 1, PID: 4711}
	return dirlock.Report{
		Path:  "/shared/jobs.lock",
		State: dirlock.StateSuspect,
		Holder: &dirlock.Holder{
			Token: "dirlock-1.token", Stamp: s, PID: 4711, Host: "alpha", Boot: strings.Repeat("0f", 16), PIDNS: 4026531836,
			Since:     time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600)),
			Container: "docker", Program: "make", Note: "release\x1b[2J 7",
		},
		HeartbeatAge: 3500 * time.Millisecond,
		AgeKnown:     true,
		Reason:       "pid 4711 on another host: waits",
		Entries:      []string{".nfs0001\n"},
	}
}

func TestReportForPeople(t *testing.T) {
	golden(t, "status.txt", describe(sampleReport()))
	golden(t, "status-free.txt", describe(dirlock.Report{Path: "/l", State: dirlock.StateFree, Reason: "nobody holds it"}))
	private := sampleReport()
	private.Place = container.Place{Visibility: container.OwnTmpfs, Evidence: "/tmp is a tmpfs that was made for this container"}
	golden(t, "status-private.txt", describe(private))
	foreign := dirlock.Report{Path: "/l", State: dirlock.StateHeld, Holder: &dirlock.Holder{Token: "dirlock-\x1bodd"}, Reason: "corrupt"}
	golden(t, "status-corrupt.txt", describe(foreign))
}

func TestReportAsJSON(t *testing.T) {
	shared := sampleReport()
	shared.Place = container.Place{Visibility: container.Shared, Evidence: "/shared is the volume \"locks\""}
	machine := sampleReport()
	machine.Place = container.Place{Visibility: container.Machine, Evidence: "no container was recognised"}
	for name, r := range map[string]dirlock.Report{
		"status.json":        machine,
		"status-shared.json": shared,
		"status-free.json":   {Path: "/l", State: dirlock.StateFree, Vacant: true, Reason: "nobody holds it"},
		"status-takeover.json": {Path: "/l", State: dirlock.StateStale, Holder: &dirlock.Holder{Token: "dirlock-odd"},
			Verdict: stamp.Verdict{Takeover: true}, Reason: "corrupt"},
	} {
		text, err := json.MarshalIndent(newObject(r), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name, string(text)+"\n")
	}
}
