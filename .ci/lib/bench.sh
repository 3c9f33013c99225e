# The benchmark bar: what an uncontended acquire and release costs beside the same bare system calls, in one run.
#
# .ci/bench-bar is the program that judges it: exit code 0 within the bar, anything else fails the run.
# Until it exists this step says so and passes.

step_bench() {
	if [ ! -x .ci/bench-bar ]; then
		echo "no .ci/bench-bar yet: nothing is measured"
		return
	fi
	.ci/bench-bar
}
