package suites

import (
	"flag"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	// Nearly all of a test is waiting, so that how many cores there are is no measure of how many may go on at once. Where this binary is
	// told how many, as on a host, it is heeded.
	flag.Parse()
	if os.Getenv(dirVariable) == "" {
		if err := flag.Set("test.parallel", "16"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
