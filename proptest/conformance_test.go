package proptest

import (
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/fsys/fsystest"
)

// What a simulated process calls may not be kinder than a real file system: the same suite, on each kind of mount.
func TestConformance(t *testing.T) {
	for _, mount := range []Mount{Local, NFS3, NFS4, SMB} {
		t.Run(mount.String(), func(t *testing.T) {
			w := New(Config{Mount: mount, Fine: true})
			w.direct = true
			for _, a := range []Action{{Verb: "host", On: "h"}, {Verb: "start", On: "p", Opt: []string{"h"}}} {
				if err := verbs[a.Verb].do(w, a); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.admin.Mkdir("/dir", 0o755); err != nil {
				t.Fatal(err)
			}
			p := w.process("p")
			fsystest.Run(t, gate{p, p.host.mount}, "/dir", fsystest.Options{InMemory: true})
		})
	}
}
