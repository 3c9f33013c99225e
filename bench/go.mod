module github.com/aac6cccc/mkdirlock/bench

go 1.26.0

require (
	github.com/aac6cccc/mkdirlock v0.0.0
	github.com/gofrs/flock v0.13.2
	github.com/nightlyone/lockfile v1.0.0
	github.com/rogpeppe/go-internal v1.16.0
	golang.org/x/sys v0.50.0
)

require (
	github.com/fsnotify/fsnotify v1.10.1 // indirect
	github.com/google/uuid v1.6.0 // indirect
)

replace github.com/aac6cccc/mkdirlock => ..
