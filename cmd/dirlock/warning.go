package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/aac6cccc/mkdirlock/container"
)

// notShared is a logger that says of what the lock logs only that nobody else can see it: that one who waits, or works, cannot know
// by anything else.
type notShared struct{ w io.Writer }

func (notShared) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

func (n notShared) Handle(_ context.Context, r slog.Record) error {
	var path string
	r.Attrs(func(a slog.Attr) bool {
		switch v := a.Value.Any().(type) {
		case string:
			if a.Key == "path" {
				path = v
			}
		case container.Place:
			complain(n.w, fmt.Errorf("warning: %s is seen by this container only: %s (%s)", path, v.Evidence, v.Visibility))
		}
		return true
	})
	return nil
}

func (n notShared) WithAttrs([]slog.Attr) slog.Handler { return n }
func (n notShared) WithGroup(string) slog.Handler      { return n }
