package netlab_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/netlab"
)

// Hosts that are namespaces are named, cut off and without power as others are, and what is in their mounts is what the server has.
func TestRooms(t *testing.T) {
	lab := netlab.Rooms(t, "a", "b")
	a, b := lab.Client("a"), lab.Client("b")
	if names := a.Must("hostname") + b.Must("hostname") + lab.Server.Must("hostname"); names != "absrv" {
		t.Errorf("they are called %s", names)
	}
	here, err := os.Readlink("/proc/self/ns/pid")
	if one, other := a.Must("readlink", "/proc/self/ns/pid"), b.Must("readlink", "/proc/self/ns/pid"); one == other || one == here || err != nil {
		t.Errorf("pids are of %s, %s and here %s, %v", one, other, here, err)
	}
	for _, kind := range []string{"sshfs", "fuse"} {
		t.Run(kind, func(t *testing.T) {
			options := map[string]string{"sshfs": "reconnect,dir_cache=no,entry_timeout=0,attr_timeout=0,negative_timeout=0"}[kind]
			path := a.Mount(kind, options)
			if again := b.Mount(kind, options); again != path {
				t.Errorf("mounted at %s and %s", path, again)
			}
			a.Must("mkdir", path+"/"+kind)
			b.Must("test", "-d", path+"/"+kind)
			lab.Server.Must("test", "-d", lab.Share+"/"+kind)

			a.Cut()
			slow := a.Start(nil, "mkdir", path+"/late")
			b.Must("test", "!", "-d", path+"/late") // and so does nothing wait that is not cut off
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			if code, err := slow.Wait(ctx); err == nil {
				t.Error("it did not hang:", code)
			}
			lab.Server.Must("test", "!", "-d", lab.Share+"/late")
			a.Heal()
			if code, err := slow.Wait(t.Context()); code != 0 || err != nil {
				t.Error(code, err)
			}
			b.Must("rmdir", path+"/late")

			a.LoseReplies(true)
			r, err := a.Run(t.Context(), nil, "mkdir", path+"/unsaid")
			if kind == "fuse" && (r.Code == 0 || err != nil || !strings.Contains(r.Stderr, "Input/output error")) {
				t.Error(r, err)
			}
			a.LoseReplies(false)
			if kind == "sshfs" { // then it may not have come so far
				lab.Server.Must("mkdir", "-p", lab.Share+"/unsaid")
			}
			lab.Server.Must("rmdir", lab.Share+"/unsaid")

			a.Start(nil, "sleep", "10007")
			hung := a.Start(nil, "sh", "-c", "cd "+path+"; exec sleep 10007")
			until(t, "they run", func() bool { return runs(a, "sleep\x0010007") })
			a.Cut()
			a.Start(nil, "ls", path)
			a.PowerOff()
			lab.Here.Must("sh", "-c", "! grep -lz '^10007$' /proc/[0-9]*/cmdline") // nor anywhere else
			if _, err := hung.Wait(t.Context()); err == nil {
				t.Error("its end was seen")
			}
			a.Boot()
			a.Mount(kind, options)
			a.Must("rmdir", path+"/"+kind)
			b.Must("test", "!", "-d", path+"/"+kind)

			lab.Server.Reboot(100 * time.Millisecond)
			until(t, "the server is back", func() bool {
				r, err := b.Run(t.Context(), nil, "mkdir", path+"/again")
				return err == nil && r.Code == 0
			})
			b.Must("rmdir", path+"/again")
		})
	}
}
