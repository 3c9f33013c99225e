//go:build linux

package fusetest

func holderMain() {}
