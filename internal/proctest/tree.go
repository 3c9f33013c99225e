package proctest

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Tree describes everything below dir, dir included, one line an entry: name, mode, size, mtime to the nanosecond, and a
// digest of what is in regular files and links. Two trees that are described alike are alike, but for access times.
func Tree(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		var content []byte
		switch {
		case info.Mode().IsRegular() && info.Size() <= 1<<20:
			content, err = os.ReadFile(path)
		case info.Mode()&fs.ModeSymlink != 0:
			var target string
			target, err = os.Readlink(path)
			content = []byte(target)
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %v %d %d %x\n", rel, info.Mode(), info.Size(), info.ModTime().UnixNano(), sha256.Sum256(content))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Names returns the names in dir, joined by spaces; "" if there are none, and the error's text if there is no such
// directory.
func Names(dir string) string {
	list, err := os.ReadDir(dir)
	if err != nil {
		return err.Error()
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// Exists reports whether there is something by that name, be it a link to nowhere.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
