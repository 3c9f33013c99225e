# The simulator of the lock that ships, see docs/testing.md: more schedules than go test ./... has time for, every mutant, one seed
# under two schedulers, and what the simulation does not reach.

step_proptest() {
	local plain=$scratch/proptest race=$scratch/proptest.race names
	names=$(grep -hoE '^func Test[A-Za-z0-9]+\(t \*testing\.T\) +\{ search\(' proptest/*_test.go | sed -E 's/^func (Test[A-Za-z0-9]+).*/\1/') || die "no property is searched"
	local properties="^(${names//$'\n'/|})$"
	go test -c -o "$plain" ./proptest
	go test -c -race -o "$race" ./proptest
	go -C tools build -o "$scratch/coverlist" ./coverlist

	proptest_hashes "$plain" "$race" "$properties" "$(wc -l <<<"$names")"
	proptest_coverage "$properties"
	proptest_mutants
	proptest_search "$plain" "$properties"
}

# proptest_quiet runs a test in its package's directory and keeps its output for the caller, who wants a few lines of it. A test that fails
# is printed whole: the schedule that broke a promise is in it.
proptest_quiet() {
	local rc=0
	(cd proptest && "$@") >"$scratch/proptest.log" 2>&1 || rc=$?
	[ "$rc" -eq 0 ] && return
	cat "$scratch/proptest.log"
	die "see above; docs/testing.md says how a schedule is played again"
}

proptest_search() {
	local began=$SECONDS
	if [ -n "${MKDIRLOCK_LONG:-}" ]; then
		local -x PROPTEST_BUDGET=1h
	else
		local -x PROPTEST_SCHEDULES=300000
	fi
	proptest_quiet "$1" -test.run "$2" -test.v -test.timeout 3h -rapid.nofailfile
	awk -v seconds=$((SECONDS - began)) '
		/^=== (RUN|NAME|CONT) / { name = $3 }
		/ schedules \([0-9]+\/s\): / { sub(/^ *[^ ]+: /, ""); print name ": " $0; n += $1 }
		END { printf "%d schedules, %.0f a second\n", n, n / (seconds > 0 ? seconds : 1) }
	' "$scratch/proptest.log"
}

proptest_mutants() {
	PROPTEST_MUTANTS=all proptest_quiet go test -count=1 -v -timeout 30m -run '^TestMutants$' .
	grep -E '^ *\| ' "$scratch/proptest.log"
}

# What happens in a schedule is a matter of the seed alone: not of the Go scheduler, which the race detector makes another one.
proptest_hashes() {
	local binary
	for binary in "$1" "$2"; do
		PROPTEST_HASH=1 proptest_quiet "$binary" -test.run "$3" -test.v -rapid.seed=20 -rapid.checks=60 -rapid.nofailfile
		sed -n 's/.*HASH //p' "$scratch/proptest.log" | sort >"$binary.hashes"
	done
	cat "$1.hashes"
	[ "$(wc -l <"$1.hashes")" -eq "$4" ] || die "there are $4 properties: one hash each"
	diff "$1.hashes" "$2.hashes" || die "one seed gives two traces: the second are those under the race detector"
}

# The seed is always the same, so that a block which only luck reaches does not fail this once in a while.
proptest_coverage() {
	PROPTEST_SCHEDULES=20000 proptest_quiet go test -count=1 -run "$1" -rapid.seed=1 -rapid.nofailfile \
		-coverpkg=../dirlock,../heartbeat,../stamp -coverprofile="$scratch/proptest.cover" .
	"$scratch/coverlist" -list proptest/testdata/unreached.txt "$scratch/proptest.cover"
}
