package memfs_test

import (
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/internal/memfs"
)

// A cycle of the protocol: what a simulation does all day.
func BenchmarkCycle(b *testing.B) {
	for _, m := range all {
		b.Run(m.name, func(b *testing.B) {
			c := m.on(memfs.NewServer(), "a")
			b.ReportAllocs()
			must := func(err error) {
				if err != nil {
					b.Fatal(err)
				}
			}
			must(c.Mkdir("/share", 0o755))
			for b.Loop() {
				must(c.Mkdir("/share/lock", 0o755))
				d, err := c.OpenDir("/share/lock")
				must(err)
				must(d.Create("dirlock-stamp", nil, 0o644))
				list, err := d.List()
				must(err)
				if len(list) != 1 || list[0] != (fsys.Entry{Name: "dirlock-stamp", Kind: fsys.KindRegular}) {
					b.Fatal(list)
				}
				must(d.Close())
				must(c.Unlink("/share/lock/dirlock-stamp"))
				must(c.Rmdir("/share/lock"))
			}
			must(c.Rmdir("/share"))
		})
	}
}
