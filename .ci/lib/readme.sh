# README.md's two commands, taken from the file as a reader would, so that they cannot rot.

# readme_block NAME prints the fenced block that follows the line <!-- ci:NAME -->.
readme_block() {
	awk -v mark="<!-- ci:$1 -->" '
		$0 == mark { wanted = 1; next }
		wanted && /^```/ { if (inside) exit; inside = 1; next }
		inside { print }
	' README.md
}

# The test command also tells every test's fate: its output takes another form on the way, nothing else changes. A skip on
# Linux as root is a failure, unless .ci/allowed-skips names it, or the step netlab or containers is where it runs.
step_readme_test() {
	local command skips=()
	command=$(readme_block test)
	[[ $command == "go test "* ]] || die "README.md has no block after <!-- ci:test --> that begins with go test"
	if [ "$(uname -s)" = Linux ] && [ "$(id -u)" -eq 0 ]; then
		skips=(-allowed-skips .ci/allowed-skips -elsewhere 'MKDIRLOCK_NETLAB=1|MKDIRLOCK_CONTAINERS=1')
	fi
	printf '$ %s\n' "$command"
	build_testlog
	bash -euo pipefail -c "go test -json ${command#go test }" | "$scratch/testlog" "${skips[@]}"
}

# The main command is run on a directory of its own: only the path of the lock is replaced.
step_readme_main() {
	local command dir=$scratch/main out
	command=$(readme_block main)
	[[ $command == *" /tmp/demo.lock "* ]] || die "README.md has no block after <!-- ci:main --> that locks /tmp/demo.lock"
	printf '$ %s\n' "$command"
	mkdir "$dir"
	out=$(bash -euo pipefail -c "${command//\/tmp\/demo.lock/$dir/demo.lock}")
	printf '%s\n' "$out"
	[ "$out" = hello ] || die "it should have printed hello and nothing else"
	[ -z "$(ls -A "$dir")" ] || die "it left something behind: $(ls -A "$dir")"
}
