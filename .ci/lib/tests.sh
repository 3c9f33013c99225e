# Running the tests beyond the README's command.

build_testlog() { go -C tools build -o "$scratch/testlog" ./testlog; }

# The race detector slows all processes of a test several times, so that the longest tests take their short forms. A long run
# gives them their whole length, three times over.
step_race() {
	local length=(-short -count=1 -timeout 20m)
	[ -z "${MKDIRLOCK_LONG:-}" ] || length=(-count=3 -timeout 2h)
	build_testlog
	go test -race "${length[@]}" -json ./... | "$scratch/testlog"
}

step_nested() {
	local dir skips=()
	if [ "$(uname -s)" = Linux ] && [ "$(id -u)" -eq 0 ]; then
		skips=(-allowed-skips /dev/null) # a test that skips has not tried what it promises
	fi
	build_testlog
	for dir in $(nested_modules); do
		echo "$dir"
		go -C "$dir" vet ./...
		go -C "$dir" test -json ./... | "$scratch/testlog" "${skips[@]}"
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
	local for=10s log=$scratch/fuzz.log
	[ -z "${MKDIRLOCK_LONG:-}" ] || for=5m
	echo "$1 $2"
	for _ in 1 2 3; do
		go test -run '^$' -fuzz "^$2\$" -fuzztime "$for" "$1" 2>&1 | tee "$log" && return
		# Go's fuzzer now and then takes the end of its time for a failure (golang/go#75804): then there is no input that failed.
		grep -q '^    context deadline exceeded$' "$log" && ! grep -q 'Failing input written' "$log" || break
		echo "*** the fuzzer's own time ran out in the middle of something: again"
	done
	# The input that failed lies in the clone, which nobody may keep: print it.
	git -c safe.directory='*' ls-files --others '*/testdata/fuzz/*' | while read -r f; do
		printf -- '--- %s\n' "$f"
		cat "$f"
	done
	die "$2 in $1 failed"
}
