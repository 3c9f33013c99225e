# Running the tests beyond the README's command.

# step_race also reads every test's fate: a skip on Linux as root is a failure, unless .ci/allowed-skips names it.
step_race() {
	local skips=()
	if [ "$(uname -s)" = Linux ] && [ "$(id -u)" -eq 0 ]; then
		skips=(-allowed-skips .ci/allowed-skips)
	fi
	go -C tools build -o "$scratch/testlog" ./testlog
	go test -race -count=1 -timeout 20m -json ./... | "$scratch/testlog" "${skips[@]}"
}

step_nested() {
	local dir
	for dir in $(nested_modules); do
		echo "$dir"
		go -C "$dir" vet ./...
		go -C "$dir" test ./...
	done
}

# step_fuzz finds the targets itself, so that a new one needs no line here.
step_fuzz() {
	local pkg target found=0
	for pkg in $(go list ./...); do
		for target in $(go test -list '^Fuzz' "$pkg" | grep '^Fuzz' || true); do
			found=$((found + 1))
			fuzz_one "$pkg" "$target"
		done
	done
	[ "$found" -gt 0 ] || die "no fuzz target found"
}

fuzz_one() {
	echo "$1 $2"
	go test -run '^$' -fuzz "^$2\$" -fuzztime "${FUZZTIME:-10s}" "$1" && return
	# The input that failed lies in the clone, which nobody may keep: print it.
	git -c safe.directory='*' ls-files --others '*/testdata/fuzz/*' | while read -r f; do
		printf -- '--- %s\n' "$f"
		cat "$f"
	done
	die "$2 in $1 failed"
}
