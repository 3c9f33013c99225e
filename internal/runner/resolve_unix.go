//go:build unix

package runner

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Resolve finds the executable file that name stands for, along PATH as a shell does. The error is an *ExecError.
func Resolve(name string) (string, error) {
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
		return path, nil
	case errors.Is(err, exec.ErrDot):
		// The user's PATH names the current directory. Other programs that run commands take that at its word.
		return path, nil
	}
	err = errors.Unwrap(err) // *exec.Error: its text would repeat the name
	code := codeNotFound
	switch {
	case errors.Is(err, exec.ErrNotFound) && !strings.Contains(name, "/"):
		if name != "" && besidePath(name) {
			code, err = codeCannotRun, unix.EACCES
		}
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR):
	default:
		code = codeCannotRun
	}
	return "", &ExecError{Name: name, Code: code, Err: err}
}

// besidePath reports whether PATH has a file of that name after all. LookPath passes over what it cannot execute and
// then says "not found", where a shell says "permission denied".
func besidePath(name string) bool {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	return false
}
