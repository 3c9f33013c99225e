package dirlock

import (
	"path/filepath"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// glance looks only at the stamp that was in the way before, by its name: one call. It reports whether that is still in the way,
// and nothing else can be done about it; else a pass must follow. A directory that has a stamp in it stays where it is, so that
// as long as the stamp is there nobody can make another, unless this one was moved away, which its name tells.
func (a *acquisition) glance(before obstacle) (obstacle, bool) {
	known := before.alone && before.stamp.Version != 0 && before.problem == nil && !before.verdict.Takeover
	if !known || a.rhythm.quick > 0 {
		return obstacle{}, false
	}
	clock := a.readClock(false)
	e := entry{name: before.name, kind: fsys.KindRegular, stamp: before.stamp, ok: true}
	stat := func(name string) (fsys.Info, error) { return a.FS.Stat(filepath.Join(a.path, name)) }
	block, what := a.judge(stat, nil, e, clock, entries{})
	block.alone, block.content = true, before.content
	return block, what == waiting && block.problem == nil
}
