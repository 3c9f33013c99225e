package netlab_test

import (
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/netlab"
)

func TestLab(t *testing.T) {
	begin := time.Now()
	lab := netlab.Start(t, "a", "b")
	t.Log("up after", time.Since(begin).Round(time.Millisecond))
	for _, kind := range []string{"nfs4", "nfs3", "smb"} {
		a, b := lab.Client("a").Mount(kind, ""), lab.Client("b").Mount(kind, "")
		t.Log(time.Since(begin), kind)
		lab.Client("a").Must("mkdir", a+"/"+kind)
		t.Log(lab.Client("b").Must("ls", "-la", b))
		s, err := lab.Client("a").MountStats(a)
		t.Log(s, err)
	}
	t.Log(lab.Server.Must("ls", "-la", lab.Share))
}
