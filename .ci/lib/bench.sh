# What an uncontended acquire and release costs beside the same bare system calls, in turns of one run: BenchmarkCost in
# package dirlock, whose metric x-bare is the median ratio. docs/benchmarks.md has what is aimed for and what is reached.
# It is printed, and judged by people: on a machine that others use too, a ratio above a ceiling proves nothing.

step_bench() {
	local out place
	out=$(go test -run '^$' -bench '^BenchmarkCost$' -benchtime 2s ./dirlock)
	printf '%s\n' "$out"
	for place in tmp shm; do
		grep -q "^BenchmarkCost/$place.*x-bare" <<<"$out" || die "BenchmarkCost/$place said no ratio"
	done
}
