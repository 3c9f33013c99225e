// Package fusetest tests the lock on a file system that stalls, delays, fails and lies when the test says so: a FUSE
// mount (see faultfs) under a real kernel. It has no code of its own.
package fusetest
