# Headings, durations, failure: what every step uses.

durations=()
current=

prepare_env() {
	PATH=$PATH:/usr/sbin:/sbin # losetup, mkfs
	command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
	command -v go >/dev/null || die "go is neither on PATH nor in /usr/local/go/bin"
	# A clone that belongs to another user makes git refuse, and with it every build that stamps the revision.
	export GOFLAGS=-buildvcs=false GOWORK=off
	scratch=$(mktemp -d)
	export DEBIAN_FRONTEND=noninteractive
}

die() {
	printf '\n*** %s: %s\n' "${current:-setup}" "$*" >&2
	exit 1
}

run_step() {
	current=$1
	declare -F "step_$1" >/dev/null || die "no such step"
	printf '\n=== %s\n' "$1"
	local began=$SECONDS
	# Not "step || die": a function called in a condition runs without set -e.
	"step_$1"
	durations+=("$1 $((SECONDS - began))s")
	current=
}

# finish says where the time went, and which step ended the run if one did.
finish() {
	local rc=$?
	rm -rf "${scratch:?}"
	printf '\n=== durations\n'
	[ ${#durations[@]} -eq 0 ] || printf '%s\n' "${durations[@]}"
	printf 'all %ds\n' "$SECONDS"
	[ "$rc" -eq 0 ] || printf '*** FAILED in %s (exit code %d)\n' "${current:-setup}" "$rc"
}

# must_print_nothing runs a command whose output is the complaint. Standard error passes: "go: downloading" is none.
must_print_nothing() {
	local out rc=0
	out=$("$@") || rc=$?
	[ -z "$out" ] && [ "$rc" -eq 0 ] && return
	printf '%s\n' "$out"
	die "'$*' must print nothing and succeed (exit code $rc)"
}

# nested_modules lists the directories of all the modules but the root, one a line.
nested_modules() {
	git -c safe.directory='*' ls-files '*/go.mod' | xargs -r -n1 dirname
}
