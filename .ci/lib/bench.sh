# What an uncontended acquire and release costs beside the same bare system calls, in turns of one run: BenchmarkCost in
# package dirlock, whose metric x-bare is the median ratio. docs/benchmarks.md has what is aimed for and what is reached.

# A ratio above these fails the run. They leave room for a busy machine: they catch what made the lock slower, and are
# lowered when it got faster.
declare -A bench_ceiling=([tmp]=3 [shm]=10)

step_bench() {
	local out place ratio
	out=$(go test -run '^$' -bench '^BenchmarkCost$' -benchtime 2s ./dirlock)
	printf '%s\n' "$out"
	for place in "${!bench_ceiling[@]}"; do
		ratio=$(sed -n "s|^BenchmarkCost/${place}[^0-9a-z].*[[:space:]]\([0-9.]*\) x-bare.*|\1|p" <<<"$out")
		[ -n "$ratio" ] || die "BenchmarkCost/$place said no ratio"
		awk -v r="$ratio" -v c="${bench_ceiling[$place]}" 'BEGIN { exit !(r <= c) }' ||
			die "on $place a cycle costs $ratio times the bare calls, more than ${bench_ceiling[$place]}"
		printf '%s: %s times the bare calls (at most %s)\n' "$place" "$ratio" "${bench_ceiling[$place]}"
	done
}
