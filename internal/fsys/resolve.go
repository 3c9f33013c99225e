package fsys

import (
	"io/fs"
	"strings"
)

// splitLast takes a path apart into its parent, "" for the working directory, and its last element. Nothing else about
// the path is touched: to clean "link/.." lexically would name another directory.
func splitLast(path string) (parent, last string, err error) {
	if path == "" || strings.IndexByte(path, 0) >= 0 {
		return "", "", fs.ErrInvalid
	}
	trimmed := strings.TrimRight(path, separators)
	i := strings.LastIndexAny(trimmed, separators)
	parent, last = trimmed[:i+1], trimmed[i+1:]
	// The root has none; "." and ".." mean a directory that is there already.
	if last == "" || last == "." || last == ".." || !lastAllowed(last) {
		return "", "", fs.ErrInvalid
	}
	return parent, last, nil
}

func (osFS) Resolve(path string) (string, error) {
	parent, last, err := splitLast(path)
	if err != nil {
		return "", pathError("resolve", path, err)
	}
	resolved, err := resolveDir(parent)
	if err != nil {
		if parent == "" {
			parent = "."
		}
		return "", pathError("resolve", parent, err)
	}
	if strings.HasSuffix(resolved, separators[:1]) {
		return resolved + last, nil
	}
	return resolved + separators[:1] + last, nil
}
