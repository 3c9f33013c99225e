//go:build !unix || solaris || aix

package proctest

import (
	"io"
	"os"
)

// alone knows no better here than that a file with something in it is somebody's: O_EXCL alone decides, and tests that
// kill do not run.
func alone(file *os.File) bool {
	n, err := file.ReadAt(make([]byte, 1), 0)
	return n == 0 && err == io.EOF
}
