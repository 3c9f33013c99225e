// Package locks tries the lock between real containers, on volumes that they share. It has no code of its own.
//
// Its tests run by the lab of [containerlab], and skip when that does. The judge of "two holders" is the witness of package proctest.
//
// [containerlab]: https://pkg.go.dev/github.com/aac6cccc/mkdirlock/internal/containerlab
package locks
