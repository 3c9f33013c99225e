//go:build !linux

package fusetest

import "testing"

func TestMounts(t *testing.T) { t.Skip("mounts with faults need Linux's FUSE") }
