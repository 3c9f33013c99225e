package fsys_test

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

const benchName = "dirlock-1.0123456789abcdef0123456789abcdef.12345.abcdef.0123456789abcdef0123456789abcdef.4026531836.4026531834.0.0.1000.30000.f.0123456789abcdef.host"

// BenchmarkCycle is one uncontended acquisition and release, through this package and by bare system calls.
func BenchmarkCycle(b *testing.B) {
	data := make([]byte, 300)
	for name, dir := range mounts(b) {
		p := dir + "/bench.lock"
		b.Run(name+"/bare", func(b *testing.B) {
			var buf [8 << 10]byte
			b.ReportAllocs()
			for b.Loop() {
				must(b, unix.Mkdir(p, 0o755))
				fd, err := unix.Open(p, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
				must(b, err)
				f, err := unix.Openat(fd, benchName, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o644)
				must(b, err)
				_, err = unix.Write(f, data)
				must(b, err)
				must(b, unix.Close(f))
				for n := 1; n > 0; {
					n, err = unix.Getdents(fd, buf[:])
					must(b, err)
				}
				must(b, unix.Close(fd))
				must(b, unix.Unlink(p+"/"+benchName))
				must(b, unix.Rmdir(p))
			}
		})
		b.Run(name+"/fsys", func(b *testing.B) {
			f := fsys.OS()
			b.ReportAllocs()
			for b.Loop() {
				must(b, f.Mkdir(p, 0o755))
				d, err := f.OpenDir(p)
				must(b, err)
				must(b, d.Create(benchName, data, 0o644))
				l, err := d.List()
				if must(b, err); len(l) != 1 {
					b.Fatal(l)
				}
				must(b, d.Close())
				must(b, f.Unlink(p+"/"+benchName))
				must(b, f.Rmdir(p))
			}
		})
	}
}

// BenchmarkCall is what the protocol asks most often beside the cycle.
func BenchmarkCall(b *testing.B) {
	f := fsys.OS()
	for name, dir := range mounts(b) {
		p := dir + "/file"
		must(b, f.Create(p, nil, 0o644))
		traits, err := f.Traits(dir)
		must(b, err)
		for op, call := range map[string]func() error{
			"Stat":    func() error { _, err := f.Stat(p); return err },
			"Touch":   func() error { return f.Touch(p) },
			"Resolve": func() error { _, err := f.Resolve(p); return err },
			"Traits":  func() error { _, err := f.Traits(dir); return err },
			"Mount":   func() error { f.Mount(p); return nil },
			"Clock":   func() error { _, err := f.Clock(dir+"/aux", traits); return err },
		} {
			b.Run(name+"/"+op, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					must(b, call())
				}
			})
		}
	}
}
