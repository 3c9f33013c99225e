package notify_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/internal/notify"
	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// BenchmarkWake is from an unlink to the waiter on his channel.
func BenchmarkWake(b *testing.B) {
	for _, name := range []string{"inotify", "fsnotify"} {
		b.Run(name, func(b *testing.B) {
			d, _ := notify.DirsOver(name)
			dir := proctest.Memory(b)
			woken := make(chan struct{}, 1)
			stop, err := d.Watch(dir, func() { woken <- struct{}{} })
			must(b, err)
			defer stop()
			for b.Loop() {
				b.StopTimer()
				must(b, os.WriteFile(dir+"/stamp", nil, 0o644))
				b.StartTimer()
				must(b, unix.Unlink(dir+"/stamp"))
				<-woken
			}
		})
	}
}

// BenchmarkBeat is the cost of a heartbeat of which nobody wants to know, with twenty processes that wait: to be compared with none.
func BenchmarkBeat(b *testing.B) {
	beats := func(b *testing.B, stamp string) {
		for b.Loop() {
			must(b, unix.UtimesNanoAt(unix.AT_FDCWD, stamp, []unix.Timespec{{Nsec: unix.UTIME_NOW}, {Nsec: unix.UTIME_NOW}}, 0))
		}
	}
	for _, name := range []string{"nobody", "inotify", "fsnotify"} {
		b.Run(name, func(b *testing.B) {
			nothingLeft(b)
			dir := lock(b, filepath.Join(proctest.Memory(b), "lock"), "stamp")
			if name != "nobody" {
				for range 20 { // each in a process of its own, as it were
					d, _ := notify.DirsOver(name)
					watch(b, d, dir)
				}
			}
			beats(b, dir+"/stamp")
		})
	}
}

// BenchmarkWatch is what it costs to watch anew, beside somebody else and alone.
func BenchmarkWatch(b *testing.B) {
	for _, name := range []string{"inotify", "fsnotify"} {
		for _, beside := range []bool{true, false} {
			b.Run(name+map[bool]string{true: "/beside", false: "/alone"}[beside], func(b *testing.B) {
				d, _ := notify.DirsOver(name)
				dir := proctest.Memory(b)
				if beside {
					watch(b, d, dir)
				}
				for b.Loop() {
					stop, err := d.Watch(dir, func() {})
					must(b, err)
					stop()
				}
			})
		}
	}
}

// BenchmarkExit is from SIGKILL to the waiter on his channel.
func BenchmarkExit(b *testing.B) {
	var e notify.Exits
	ended := make(chan struct{}, 1)
	for b.Loop() {
		b.StopTimer()
		child := sleeper(b)
		stop, err := e.Watch(child.Process.Pid, yes, func() { ended <- struct{}{} })
		must(b, err)
		b.StartTimer()
		must(b, child.Process.Kill())
		<-ended
		b.StopTimer()
		stop()
		kill(child)
		b.StartTimer()
	}
}
