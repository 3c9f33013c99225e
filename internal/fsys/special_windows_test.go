package fsys_test

// There are no FIFOs in directories here. Links need a privilege, and are removed by one call or the other, depending on what
// they lead to.
var (
	mkfifo  func(path string) error
	symlink func(target, path string) error
)
