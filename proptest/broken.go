package proptest

import "github.com/aac6cccc/mkdirlock/internal/fsys"

// What only a lock that was broken on purpose calls; see testdata/mutants.

// CachedStat is a stat without a forced sync.
func (g gate) CachedStat(name string) (fsys.Info, error) {
	return send(g.p, "stat", name, func() (fsys.Info, error) { return g.inner.CachedStat(name) })
}

// CachedStat is that of a name in the directory.
func (d gateDir) CachedStat(name string) (fsys.Info, error) {
	return send(d.p, "stat", d.at(name), func() (fsys.Info, error) { return d.p.host.mount.CachedStat(d.at(name)) })
}

// RenameOver is rename(2), which replaces an empty directory.
func (g gate) RenameOver(from, to string) error {
	return g.p.send("rename", from, func() error { return g.inner.RenameOver(from, to) })
}
