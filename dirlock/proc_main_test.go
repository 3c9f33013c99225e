package dirlock_test

import (
	"flag"
	"os"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// busy is what a machine that others use too may add to a time, twenty processes of these tests among them. How long things take
// exactly is for the simulations to say, which have a clock of their own.
const busy = 20 * time.Second

// The test binary is also the second process, and the third.
func TestMain(m *testing.M) {
	proctest.Main()
	flag.Parse()
	told := false
	flag.Visit(func(f *flag.Flag) { told = told || f.Name == "test.parallel" })
	if !told { // parallel tests here wait most of the time: the number of processors says nothing about them
		flag.Set("test.parallel", "20")
	}
	code := m.Run()
	proctest.Clean()
	os.Exit(code)
}
