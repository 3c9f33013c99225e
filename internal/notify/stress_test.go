package notify_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/notify"
)

// TestManyAtOnce: a thousand come and go at ten directories that are taken away and made again all the while. Nobody waits in
// vain: were a notice lost, its waiter, who never looks unasked, would hang.
func TestManyAtOnce(t *testing.T) {
	over(t, func(t *testing.T, d *notify.Dirs, _ *notify.Probe) {
		const dirs, waiters = 10, 100
		base := t.TempDir()
		path := func(i int) string { return filepath.Join(base, fmt.Sprint("lock", i)) }
		var waiting, changing sync.WaitGroup
		end := make(chan struct{})
		for i := range dirs {
			lock(t, path(i), "stamp")
			for range waiters {
				waiting.Go(func() {
					for range 5 {
						stop, err := d.Watch(path(i), func() {})
						if err == nil {
							stop()
						}
						// Until it has seen the stamp missing; the directory may be missing too, and then there is nothing to watch.
						err = await(d, path(i), func() bool {
							_, err := os.Lstat(path(i) + "/stamp")
							return err != nil
						})
						if err != nil && !os.IsNotExist(err) {
							t.Error(err)
							return
						}
					}
				})
			}
			changing.Go(func() {
				for n := 0; ; n++ {
					select {
					case <-end:
						return
					default:
					}
					must(t, os.Remove(path(i)+"/stamp"))
					if n%2 == 0 {
						must(t, os.Remove(path(i)))
						must(t, os.Mkdir(path(i), 0o755))
					}
					must(t, os.WriteFile(path(i)+"/stamp", nil, 0o644))
				}
			})
		}
		waiting.Wait()
		close(end)
		changing.Wait()
	})
}
