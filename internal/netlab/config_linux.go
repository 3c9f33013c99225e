package netlab

import (
	"testing"
	"time"
)

// Environment is the variable that has tests in the lab run, when it is "1". They skip otherwise.
const Environment = "MKDIRLOCK_NETLAB"

// A Config says how a lab differs from what [Start] gives.
type Config struct {
	// Clients are the names of the clients, one to six.
	Clients []string

	// Lease is the NFS server's lease and grace period. Zero: 10 s, so that tests need not wait long. A server
	// in the field has 90 s.
	Lease time.Duration

	// Samba is added to the share's section of smb.conf, a line each, such as "kernel share modes = no".
	Samba []string

	// Kernel is the program of another user-mode Linux, and Modules the directory that holds its lib/modules/VERSION as
	// VERSION. Both empty: those that Debian's package has.
	Kernel, Modules string
}

// Start boots a server and these clients, and shuts them down when the test ends. The test skips unless the environment asks
// for the lab, and fails where the machine lacks something.
func Start(tb testing.TB, clients ...string) *Lab {
	tb.Helper()
	return Config{Clients: clients}.Start(tb)
}

// Start boots a lab of this kind; see the function of that name.
func (c Config) Start(tb testing.TB) *Lab {
	tb.Helper()
	Need(tb)
	tb.Fatal("netlab: not there yet")
	return nil
}

// Need skips the test unless the environment asks for the lab, and fails it where the machine lacks something.
func Need(tb testing.TB) { tb.Helper() }
