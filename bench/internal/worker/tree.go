package worker

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Tree lists a process and its descendants, itself first.
func Tree(pid int) []int { return scan().below(pid) }

// A family is who is whose child at one time.
type family map[int][]int

func scan() family {
	children := family{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		// The program's name, in parentheses, may have spaces and parentheses in it.
		_, rest, _ := cutLast(string(text), ')')
		fields := strings.Fields(rest)
		if len(fields) < 2 {
			continue
		}
		child, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		parent, _ := strconv.Atoi(fields[1])
		children[parent] = append(children[parent], child)
	}
	return children
}

func (f family) below(pid int) []int {
	all := []int{pid}
	for i := 0; i < len(all); i++ {
		all = append(all, f[all[i]]...)
	}
	return all
}

func cutLast(s string, sep byte) (before, after string, found bool) {
	i := strings.LastIndexByte(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

func kill(pid int) { syscall.Kill(pid, syscall.SIGKILL) }

// CPU is the processor time in ns that the workers and their descendants have used, in the kernel or out of it. It is the
// scheduler's own account, which schedstat shows too, but with the threads that have ended. What descendants used that have
// ended is not in it.
func CPU(workers ...*Worker) int64 {
	all := scan()
	var sum int64
	for _, w := range workers {
		for _, pid := range all.below(w.Pid()) {
			sum += cpu(pid)
		}
	}
	return sum
}

func cpu(pid int) int64 {
	// clock_getcpuclockid(3): the clock of a process's threads together, by the scheduler.
	const scheduler = 2
	clock := int32(^uint32(pid)<<3 | scheduler)
	var ts unix.Timespec
	if err := unix.ClockGettime(clock, &ts); err != nil {
		return 0 // it has ended
	}
	return ts.Nano()
}

// Threads is how many the worker has, 0 if that cannot be read.
func (w *Worker) Threads() int {
	tasks, err := os.ReadDir("/proc/" + strconv.Itoa(w.Pid()) + "/task")
	if err != nil {
		return 0
	}
	return len(tasks)
}
