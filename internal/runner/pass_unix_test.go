//go:build unix

package runner

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestArgumentsAndEnvironmentPassUnchanged(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{exe, show, "--wait", "-1", "--", "", "a b", "new\nline", "--help", leaderMark, "ü"}
	j := command(t, args...)
	j.Env = []string{"PATH=/bin:/usr/bin", "A=1", "EMPTY=", "Z=x=y", "B=ü\n", "GODEBUG=asynctimerchan=0", "noequals"}
	wantCode(t, j.run(), 0)
	var got given
	if err := json.Unmarshal(j.out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Args, args) {
		t.Errorf("arguments\n%q, want\n%q", got.Args, args)
	}
	if !slices.Equal(got.Env, j.Env) {
		t.Errorf("environment\n%q, want\n%q", got.Env, j.Env)
	}
}

// The command has what it would have without the detour, and nothing of the detour's own.
func TestDescriptorsPass(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("no /proc/self/fd here to list descriptors")
	}
	open, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	const list = `for f in /proc/$$/fd/*; do echo "${f##*/}"; done`
	for _, extra := range [][]*os.File{nil, {open, nil, open}, {nil, nil, nil, open, open, open, nil, open}} {
		j := sh(t, list)
		j.ExtraFiles = extra
		wantCode(t, j.run(), 0)
		direct := exec.Command("/bin/sh", "-c", list)
		direct.ExtraFiles = extra
		want, err := direct.Output()
		if err != nil {
			t.Fatal(err)
		}
		if got := j.out.String(); got != string(want) {
			t.Errorf("descriptors %q, want %q", strings.Fields(got), strings.Fields(string(want)))
		}
	}
}

func TestStandardInputPasses(t *testing.T) {
	j := command(t, "cat")
	j.Stdin = strings.NewReader("through\n")
	wantCode(t, j.run(), 0)
	if j.out.String() != "through\n" {
		t.Errorf("wrote %q", j.out.String())
	}
}

func TestMuchOutputPasses(t *testing.T) {
	const size = 10 << 20
	j := command(t, "cat")
	data := bytes.Repeat([]byte("0123456789abcdef"), size/16)
	j.Stdin = bytes.NewReader(data)
	wantCode(t, j.run(), 0)
	if !bytes.Equal(j.out.Bytes(), data) {
		t.Errorf("%d bytes came through, not the %d that were sent", j.out.Len(), size)
	}
}

// A message must not kill the process that protects the command, as a write to a closed pipe would.
func TestMessagesToNobody(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	j := sh(t, `sleep 1.3 & exit 3`) // long enough for a message
	j.Stderr = w
	start := time.Now()
	wantCode(t, j.run(), 3)
	w.Close()
	if d := time.Since(start); d < 1300*time.Millisecond {
		t.Errorf("ended after %v", d)
	}
}
