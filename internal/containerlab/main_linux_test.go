package containerlab_test

import (
	"os"
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

func TestMain(m *testing.M) {
	proctest.Main()
	if os.Getenv(testEnd) == "timeout" {
		os.Args = append(os.Args, "-test.timeout=20s")
	}
	code := m.Run()
	proctest.Clean()
	os.Exit(code)
}
