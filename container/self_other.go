//go:build !linux

package container

func detectSelf() Info { return Info{} }
