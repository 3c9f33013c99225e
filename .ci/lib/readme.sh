# README.md's two commands, taken from the file as a reader would, so that they cannot rot.

# readme_block NAME prints the fenced block that follows the line <!-- ci:NAME -->.
readme_block() {
	awk -v mark="<!-- ci:$1 -->" '
		$0 == mark { wanted = 1; next }
		wanted && /^```/ { if (inside) exit; inside = 1; next }
		inside { print }
	' README.md
}

step_readme_test() {
	local command
	command=$(readme_block test)
	[ -n "$command" ] || die "README.md has no block after <!-- ci:test -->"
	printf '$ %s\n' "$command"
	bash -euo pipefail -c "$command"
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
