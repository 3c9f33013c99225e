package fsys_test

var mkfifo func(path string) error
