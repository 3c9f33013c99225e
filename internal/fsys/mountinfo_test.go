package fsys_test

import (
	"strings"
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

const mountinfo = `22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
23 22 0:21 / /proc rw - proc proc rw
30 22 0:40 / /mnt/share rw - nfs4 server:/ rw
31 30 0:41 / /mnt/share/sub rw - nfs4 server:/sub rw
32 22 0:42 / /mnt/with\040blank\134and\012more rw - tmpfs tmpfs rw
33 22 0:43 / /mnt/two rw - tmpfs tmpfs rw
34 33 0:44 / /mnt/two rw - tmpfs tmpfs rw
35 22 0:45 / /hidden/deep rw - tmpfs tmpfs rw
36 22 0:46 / /hidden rw - tmpfs tmpfs rw
37 22 8:1 /bound /bind rw - ext4 /dev/sda1 rw

nonsense
38 22 0:47
x 22 0:48 / /opt rw - tmpfs tmpfs rw
39 22 0:49 / relative rw - tmpfs tmpfs rw
`

func TestMountTable(t *testing.T) {
	table := fsys.ParseMountTable([]byte(mountinfo))
	for path, want := range map[string]string{
		"/":                                "8:1",
		"/etc":                             "8:1",
		"/proc":                            "0:21",
		"/proc/1/x":                        "0:21",
		"/process":                         "8:1", // a prefix by letters, not by elements
		"/mnt/share/x":                     "0:40",
		"/mnt/share/sub/x":                 "0:41",
		"/mnt/share/subway":                "0:40",
		"/mnt/with blank\\and\nmore/x":     "0:42",
		"/mnt/two/x":                       "0:44", // the upper of two
		"/hidden/deep/x":                   "0:46", // the later mount hides the longer one
		"/bind/x":                          "8:1",
		"/opt/x":                           "8:1",
		"":                                 "",
		"relative":                         "",
		"/mnt/share/" + "/sub" + "/x":      "0:40", // not a resolved path; no crash
		"/" + strings.Repeat("a/", 10_000): "8:1",
	} {
		if got := table.Find(path); got != want {
			t.Errorf("%.40q is on %q, want %q", path, got, want)
		}
	}
	// In a chroot the root is no mount point.
	table = fsys.ParseMountTable([]byte("50 40 0:50 / /data rw - tmpfs tmpfs rw\n51 50 0:51 / /data/sub rw - tmpfs tmpfs rw\n"))
	for path, want := range map[string]string{"/": "", "/x": "", "/data/x": "0:50", "/data/sub/x": "0:51"} {
		if got := table.Find(path); got != want {
			t.Errorf("in a chroot, %q is on %q, want %q", path, got, want)
		}
	}
	// Parents that go in a circle, and one that is its own.
	table = fsys.ParseMountTable([]byte("1 2 0:1 / / rw\n2 1 0:2 / / rw\n3 3 0:3 / / rw\n"))
	if got := table.Find("/x"); got != "0:3" {
		t.Errorf("%q", got)
	}
	if got := (fsys.MountTable{}).Find("/"); got != "" {
		t.Errorf("nothing is on %q", got)
	}
}

func FuzzMountTable(f *testing.F) {
	f.Add([]byte(mountinfo), "/mnt/with blank\\and\nmore/x")
	f.Add([]byte("1 2 0:1 / / rw\n2 1 0:2 / / rw\n"), "//")
	f.Add([]byte(`1 1 0:1 / /\0\04\0400\777\ rw`), "/x")
	f.Fuzz(func(t *testing.T, text []byte, path string) {
		got := fsys.ParseMountTable(text).Find(path)
		if got == "" {
			return
		}
		if !strings.HasPrefix(path, "/") {
			t.Errorf("%q is on %q", path, got)
		}
		if !strings.Contains(string(text), got) {
			t.Errorf("%q was not in the text", got)
		}
		// Whatever is below is on the same mount, or on one that lies there.
		if below := fsys.ParseMountTable(text).Find(path + "/\x00"); below != got && !strings.Contains(string(text), `\000`) && !strings.Contains(string(text), "\x00") {
			t.Errorf("%q is on %q, what is in it on %q", path, got, below)
		}
	})
}

// Near is what lies past this kernel's own mounts alone, and of that only tmpfs and the like is memory.
func TestMountTableNear(t *testing.T) {
	table := fsys.ParseMountTable([]byte(`22 1 8:1 / / rw,relatime shared:1 master:2 - ext4 /dev/sda1 rw
23 22 0:21 / /shm rw - tmpfs tmpfs rw
24 22 0:22 / /net rw - nfs4 server:/ rw
25 24 0:23 / /net/shm rw - tmpfs tmpfs rw
26 23 0:24 / /shm/net rw - nfs4 server:/ rw
27 22 0:25 / /odd rw
28 27 0:26 / /odd/shm rw - ramfs x rw
29 22 0:27 / /over rw - overlay x rw
30 29 0:28 / /over/shm rw - tmpfs x rw
`))
	const far, disk, memory = 0, 1, 2
	for path, want := range map[string]int{
		"/shm": memory, "/shm/a/b": memory, "/": disk, "/a": disk, "/shmx": disk, "shm/a": far, "": far,
		"/net/a": far, "/net/shm/a": far, "/shm/net/a": far, "/odd/shm/a": far, "/over/a": far, "/over/shm/a": far,
	} {
		got := far
		switch inMemory, near := table.Near(path); {
		case near && inMemory:
			got = memory
		case near:
			got = disk
		case inMemory:
			t.Errorf("%q is in memory, and not near", path)
		}
		if got != want {
			t.Errorf("%q: %d, want %d", path, got, want)
		}
	}
}
