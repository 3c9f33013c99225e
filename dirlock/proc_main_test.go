package dirlock_test

import (
	"os"
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// The test binary is also the second process, and the third.
func TestMain(m *testing.M) {
	proctest.Main()
	code := m.Run()
	proctest.Clean()
	os.Exit(code)
}
