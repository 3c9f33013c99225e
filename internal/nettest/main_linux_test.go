package nettest

import (
	"flag"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if os.Getenv(asWorker) != "" {
		serve(os.Stdin, os.Stdout)
		return
	}
	// Nearly all of a test is waiting, so that how many cores there are is no measure of how many may go on at once.
	flag.Parse()
	if err := flag.Set("test.parallel", "64"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
