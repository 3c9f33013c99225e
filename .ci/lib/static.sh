# What can be said without running the code.

step_format() { must_print_nothing gofmt -l .; }

step_vet() { go vet ./...; }

# staticcheck is pinned in tools/go.mod; it reads this module, not that one.
step_staticcheck() { go tool -modfile=tools/go.mod staticcheck ./...; }

step_fix() { must_print_nothing go fix -diff ./...; }

step_tidy() {
	must_print_nothing go mod tidy -diff
	local dir
	for dir in $(nested_modules); do
		must_print_nothing go -C "$dir" mod tidy -diff
	done
}

# Every system that the code claims to know is built and vetted, test files too. Only this one is run.
step_cross() {
	local os arch
	for os in linux darwin windows freebsd openbsd netbsd; do
		for arch in amd64 arm64; do
			echo "$os/$arch"
			CGO_ENABLED=0 GOOS=$os GOARCH=$arch go build ./...
			CGO_ENABLED=0 GOOS=$os GOARCH=$arch go vet ./...
		done
	done
}
