package suites

import (
	"flag"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	// Much of a test is waiting, so that a few may go on at once on two cores. On a host this binary is told how many.
	flag.Parse()
	if os.Getenv(dirVariable) == "" {
		if err := flag.Set("test.parallel", "4"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
