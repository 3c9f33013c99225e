//go:build linux

package fusetest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/fusetest/faultfs"
)

// However a run of these tests ends, with calls that hang in a mount, it leaves no process and no file. (Mounts end with the last process.)
func TestNothingIsLeftOfARun(t *testing.T) {
	t.Parallel()
	needMounts(t)
	for _, end := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT} { // the last is what "go test" sends after its timeout
		t.Run(end.String(), func(t *testing.T) {
			t.Parallel()
			tmp := t.TempDir()
			cmd := exec.Command("/proc/self/exe", "-test.run", "^TestAcquireOnStalledMount$/^one_after_another$", "-test.timeout", "1m")
			for _, v := range os.Environ() {
				if !strings.HasPrefix(v, "FAULTFS_") && !strings.HasPrefix(v, "GOCOVERDIR=") {
					cmd.Env = append(cmd.Env, v)
				}
			}
			cmd.Env = append(cmd.Env, "TMPDIR="+tmp)
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := faultfs.Bound(cmd, syscall.SysProcAttr{}); err != nil {
				t.Fatal(err)
			}
			until(t, "there are the run, its tests, one alone and a server", 20*time.Second, func() error {
				if n := len(below(tmp)); n < 4 {
					return fmt.Errorf("%d processes", n)
				}
				return nil
			})
			time.Sleep(500 * time.Millisecond) // it stalls by then
			if err := cmd.Process.Signal(end); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err == nil {
				t.Error("it ended as if all were well:", out.String())
			}
			if left := below(tmp); len(left) > 0 {
				t.Error("left processes:", left)
			}
			if left, err := os.ReadDir(tmp); len(left) > 0 || err != nil {
				t.Error("left files:", left, err)
			}
		})
	}
}

// below are the processes that make their temporary files below dir.
func below(dir string) (pids []string) {
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, p := range all {
		if env, _ := os.ReadFile(p); bytes.Contains(env, []byte("TMPDIR="+dir)) {
			pids = append(pids, filepath.Base(filepath.Dir(p)))
		}
	}
	return pids
}
