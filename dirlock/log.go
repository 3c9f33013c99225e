package dirlock

import (
	"context"
	"log/slog"
	"time"
)

const (
	levelInfo  = slog.LevelInfo
	levelWarn  = slog.LevelWarn
	levelError = slog.LevelError
)

func (s settings) log(level slog.Level, what string, attrs ...slog.Attr) {
	s.logger.LogAttrs(context.Background(), level, what, attrs...)
}

func attrPath(p string) slog.Attr                        { return slog.String("path", p) }
func attrToken(t string) slog.Attr                       { return slog.String("token", t) }
func attrReason(r string) slog.Attr                      { return slog.String("reason", r) }
func attrDuration(key string, d time.Duration) slog.Attr { return slog.Duration(key, d) }
func attrError(err error) slog.Attr                      { return slog.Any("error", err) }
