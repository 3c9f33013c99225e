package locks

import (
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/containerlab"
	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// Two that live, on one volume, after one lock: never both. Most have one host name, and each is pid 1.
func TestNeverTwoHolders(t *testing.T) {
	const rounds = "500"
	lab := containerlab.Start(t)
	for _, kind := range []containerlab.Kind{containerlab.Docker, containerlab.Podman, containerlab.Rootless} {
		lab.Engine(kind) // one after the other
	}
	docker, podman, rootless := in(containerlab.Docker), in(containerlab.Podman), in(containerlab.Rootless)
	for _, pair := range []struct {
		name string
		a, b side
	}{
		{"docker and docker", docker, docker},
		{"podman and podman", podman, podman},
		{"docker and podman", docker, podman},
		{"network=host on one side", docker, in(containerlab.Docker, network)},
		{"uts=host on one side", docker, in(containerlab.Docker, uts)},
		{"pid=host on one side", docker, in(containerlab.Docker, pids)},
		{"pid=host on both sides", in(containerlab.Podman, pids), in(containerlab.Docker, pids)},
		{"pid=host and the host", in(containerlab.Docker, pids, uts), here},
		{"rootless on one side", podman, rootless},
		{"rootless on both sides", rootless, rootless},
		{"the machine and docker", machine, docker},
		{"the machine and rootless", machine, rootless},
		{"nspawn and nspawn", sandbox("nspawn"), sandbox("nspawn")},
		{"lxc and docker", sandbox("lxc"), docker},
		{"bwrap and unshare", sandbox("bwrap"), sandbox("unshare")},
	} {
		t.Run(pair.name, func(t *testing.T) {
			t.Parallel()
			cfg, spec := shared(t)
			cfg.Wait = proctest.Patience
			a, b := pair.a.start(t, lab, cfg, spec), pair.b.start(t, lab, cfg, spec)
			t.Logf("pids %d and %d", a.Inner, b.Inner)
			a.Send("loop", rounds)
			b.Send("loop", rounds)
			waitA, waitB := a.Expect("DONE", proctest.Patience), b.Expect("DONE", proctest.Patience)
			t.Logf("the longest waits: %s and %s", waitA, waitB)
			if left := proctest.Names(cfg.Path); left == "" || proctest.Exists(cfg.Path) {
				t.Errorf("the lock is still there: %s", left)
			}
		})
	}
}
