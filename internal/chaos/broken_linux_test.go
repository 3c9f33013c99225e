package chaos

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// rob is what locks did before this one: a stamp that is old by its date is removed, and whether its process lives is
// not asked.
func (w *worker) rob() {
	stamps, _ := filepath.Glob(filepath.Join(w.Dir, "lock-*", "dirlock-*"))
	for _, file := range stamps {
		info, err := os.Stat(file)
		if err == nil && !strings.Contains(file, ".dirlock/") && time.Since(info.ModTime()) > 3*w.Settings.Heartbeat {
			os.Remove(file)
		}
	}
}
