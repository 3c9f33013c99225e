// Package suites tries the suites of other packages on every kind of mount: that of the seam in [fsystest], and the tests of package
// dirlock with several processes, spread over hosts. It has no code of its own but the names of those tests.
//
// Its tests run by the lab of [netlab], and skip when that does.
//
// [fsystest]: https://pkg.go.dev/github.com/aac6cccc/mkdirlock/internal/fsys/fsystest
// [netlab]: https://pkg.go.dev/github.com/aac6cccc/mkdirlock/internal/netlab
package suites
