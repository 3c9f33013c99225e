package netlab

import "testing"

// A Lab is a server and its clients. Its methods, and its hosts', fail the test when something goes wrong that a test does not
// provoke; those that return an error leave that to the caller, and may be called from any goroutine.
type Lab struct {
	// Server is the host that exports Share. Its own name is "srv".
	Server *Host

	// Share is the exported directory as the server itself has it, on ext4: what is mounted as nfs4, nfs3 and smb, all
	// at once if a test likes.
	Share string

	tb testing.TB
}

// Client returns the client of that name.
func (l *Lab) Client(name string) *Host { panic("netlab: not there yet") }

// Clients returns all clients, in the order in which they were named.
func (l *Lab) Clients() []*Host { panic("netlab: not there yet") }

// Push copies a file of this machine to where every host has it, executable, also after a reboot, and returns its path there.
func (l *Lab) Push(file string) string { panic("netlab: not there yet") }

// Self pushes the test binary that runs. Under an environment of its own it can be the second process, on another host.
func (l *Lab) Self() string { panic("netlab: not there yet") }

// Build compiles the main package, statically, and pushes the program.
func (l *Lab) Build(pkg string) string { panic("netlab: not there yet") }

// BuildTest compiles the package's tests, statically, and pushes the test binary.
func (l *Lab) BuildTest(pkg string) string { panic("netlab: not there yet") }
