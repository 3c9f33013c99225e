package dirlock

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// BenchmarkCost sets an uncontended acquire and release against the bare system calls that it cannot do without, in turns
// of the same run: on a machine that others use too, only the ratio means anything.
func BenchmarkCost(b *testing.B) {
	for _, place := range []struct{ name, dir string }{{"tmp", b.TempDir()}, {"shm", "/dev/shm"}} {
		b.Run(place.name, func(b *testing.B) {
			path := filepath.Join(place.dir, "mkdirlock-cost")
			defer os.RemoveAll(path)
			const turn = 100
			var ratios []float64
			var lock, bare time.Duration
			for b.Loop() {
				start := time.Now()
				for range turn {
					bareCycle(b, path)
				}
				mid := time.Now()
				for range turn {
					l, err := At(path).Acquire(b.Context())
					if err != nil {
						b.Fatal(err)
					}
					if err := l.Release(); err != nil {
						b.Fatal(err)
					}
				}
				end := time.Now()
				bare, lock = bare+mid.Sub(start), lock+end.Sub(mid)
				ratios = append(ratios, float64(end.Sub(mid))/float64(mid.Sub(start)))
			}
			slices.Sort(ratios)
			n := float64(b.N * turn)
			b.ReportMetric(ratios[len(ratios)/2], "x-bare")
			b.ReportMetric(float64(bare.Nanoseconds())/n, "ns/bare")
			b.ReportMetric(float64(lock.Nanoseconds())/n, "ns/lock")
		})
	}
}

var bareContent = make([]byte, 200)

// bareCycle is mkdir, create, write, close, list, unlink, rmdir, and nothing else.
func bareCycle(b *testing.B, path string) {
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	stamp := path + "/dirlock-1.e65b2aec83194e149bd8766f0e6335ac.1.7tci.48df7070feee4cbbaa1925913cc9adc6.4026532184.4026531834.0.0.200.2000.f.08cf3707b570dbec.vm"
	must(unix.Mkdir(path, 0o755))
	fd, err := unix.Open(stamp, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_CLOEXEC, 0o644)
	must(err)
	_, err = unix.Write(fd, bareContent)
	must(err)
	must(unix.Close(fd))
	fd, err = unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	must(err)
	var buf [4096]byte
	for {
		n, err := unix.Getdents(fd, buf[:])
		must(err)
		if n == 0 {
			break
		}
	}
	must(unix.Close(fd))
	must(unix.Unlink(stamp))
	must(unix.Rmdir(path))
}
