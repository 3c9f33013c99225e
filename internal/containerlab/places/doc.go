// Package places asks in real containers who can see what lies at a path, of every kind of mount that their runtimes make, and compares the
// answers with what was mounted there. It has no code of its own.
//
// Its tests run by the lab of [containerlab], and skip when that does.
//
// [containerlab]: https://pkg.go.dev/github.com/aac6cccc/mkdirlock/internal/containerlab
package places
