//go:build unix && !linux

package fsys

func resolveDir(dir string) (string, error) { return evalDir(dir) }
