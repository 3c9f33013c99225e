module github.com/aac6cccc/mkdirlock/fusetest

go 1.26.0

replace github.com/aac6cccc/mkdirlock => ..

require (
	github.com/aac6cccc/mkdirlock v0.0.0-00010101000000-000000000000
	github.com/hanwen/go-fuse/v2 v2.12.1
	golang.org/x/sys v0.50.0
)

require (
	github.com/fsnotify/fsnotify v1.10.1 // indirect
	github.com/google/uuid v1.6.0 // indirect
)
