//go:build linux

package faultfs_test

import (
	"fmt"
	"reflect"
	"syscall"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/fusetest/faultfs"
)

func TestRulesAreReadAsTheyAreWritten(t *testing.T) {
	for _, r := range []faultfs.Rule{
		{},
		{Ops: []string{"mkdir", "rmdir"}, Path: "lock/**", Skip: 2, Times: 3, Delay: time.Second, Fail: syscall.ESTALE, After: true},
		{Stall: true},
		{Still: true, Coarse: 2 * time.Second, Omit: true, Keep: true, Cache: time.Minute},
	} {
		again, err := faultfs.ParseRule(r.String())
		if err != nil || !reflect.DeepEqual(again, r) {
			t.Errorf("%+v became %q and then %+v, %v", r, r, again, err)
		}
	}
	for _, text := range []string{"op=mkfifo", "fail=EWHAT", "delay=soon", "path=[", "skip=x", "stale"} {
		if r, err := faultfs.ParseRule(text); err == nil {
			t.Errorf("%q is %+v", text, r)
		}
	}
}

func ExampleParseRule() {
	r, err := faultfs.ParseRule("op=unlink path=lock/* fail=EIO after times=1")
	fmt.Println(r.Ops, r.Path, r.Fail, r.After, r.Times, err)
	// Output: [unlink] lock/* input/output error true 1 <nil>
}
