package containerlab_test

import (
	"os"
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

func TestMain(m *testing.M) {
	proctest.Main()
	code := m.Run()
	proctest.Clean()
	os.Exit(code)
}
