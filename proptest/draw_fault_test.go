package proptest

import (
	"syscall"

	"pgregory.net/rapid"
)

// faultOps are the calls that a drawn fault waits for.
var faultOps = []string{"mkdir:lock", "create:own", "list:lock", "unlink:own", "unlink:other", "rmdir:lock", "stat:own", "stat:other", "touch:own", "opendir:lock",
	"info:lock", "stat", "touch:probe", "create:vacant", "chmod", "statfs", ""}

func (d *drawer) fault(t *rapid.T, a *Action) {
	a.Op = rapid.SampledFrom(faultOps).Draw(t, "op")
	a.Skip = rapid.SampledFrom([]int{0, 0, 0, 1, 2, 5}).Draw(t, "skip")
	a.What = rapid.SampledFrom(d.p.faults).Draw(t, "what")
	if a.What == "miss" {
		a.Op = "list:lock"
	}
	if rapid.Bool().Draw(t, "after") {
		a.When = After
	}
	switch a.What {
	case "fail":
		a.When = Before
		a.Err = rapid.SampledFrom([]syscall.Errno{syscall.EIO, syscall.EACCES, errStale, syscall.ENOSPC, syscall.EINTR, syscall.ETIMEDOUT, syscall.EMFILE, errBusy, syscall.EAGAIN}).Draw(t, "errno")
		if times := rapid.SampledFrom([]string{"", "", "x3", "x20"}).Draw(t, "times"); times != "" {
			a.Opt = []string{times}
		}
	case "late":
		a.When, a.Err = Before, syscall.ETIMEDOUT
	case "unheard":
		a.When = After
		a.Err = rapid.SampledFrom([]syscall.Errno{syscall.EIO, syscall.ETIMEDOUT}).Draw(t, "errno")
	case "replay":
		a.When = After
	case "miss":
		a.When = Before
	}
}
