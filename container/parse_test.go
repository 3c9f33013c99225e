package container

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParseMounts(t *testing.T) {
	for _, tt := range []struct {
		line string
		want []mount
	}{
		{"36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue\n", []mount{{"/mnt1", "/mnt2", "ext3", "/dev/root", "rw,errors=continue"}}},
		{"36 35 98:0 / /a rw - ext3 /dev/root rw\n", []mount{{"/", "/a", "ext3", "/dev/root", "rw"}}},
		{"36 35 98:0 / /a rw shared:1 master:2 propagate_from:3 unbindable - ext3 /dev/root rw\n", []mount{{"/", "/a", "ext3", "/dev/root", "rw"}}},
		{`36 35 98:0 /a\040b /c\011d\134040 rw - cifs //server/share\040x rw` + "\n", []mount{{"/a b", "/c\td\\040", "cifs", "//server/share x", "rw"}}},
		{`36 35 98:0 /a\04 /b\ rw - x y rw` + "\n", []mount{{`/a\04`, `/b\`, "x", "y", "rw"}}},
		{"36 35 98:0 /x//deleted /y rw - ext4 /dev/vda rw\n", []mount{{"/x", "/y", "ext4", "/dev/vda", "rw"}}},
		{"36 35 0:4 net:[4026532177] /run/netns/a rw - nsfs nsfs rw\n", []mount{{"net:[4026532177]", "/run/netns/a", "nsfs", "nsfs", "rw"}}},
		{"36 35 0:4 / /a rw - tmpfs tmpfs\n", []mount{{"/", "/a", "tmpfs", "tmpfs", ""}}}, // options missing: not the kernel's, but readable
		{"36 35 98:0 / /a rw - ext3 /dev/root rw", nil},                                   // cut off by the limit
		{"36 35 98:0 / a rw - ext3 /dev/root rw\n", nil},
		{"36 35 98:0 / /a rw ext3 /dev/root rw\n", nil},
		{"36 35 98:0 / /a - ext3 /dev/root rw\n", nil},
		{"\n - \n", nil},
	} {
		if got := parseMounts([]byte(tt.line)); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q: got %q, want %q", tt.line, got, tt.want)
		}
	}
}

func TestMountsStacked(t *testing.T) {
	mounts := parseMounts([]byte("1 0 0:1 /below / rw - ext4 a rw\n2 1 0:2 / /run rw - tmpfs b rw\n3 1 0:3 /above / rw - ext4 c rw\n"))
	if m, ok := at(mounts, "/"); !ok || m.root != "/above" {
		t.Errorf("at /: %+v", m)
	}
	for path, want := range map[string]string{"/run/x/y": "b", "/run": "b", "/runner": "c", "/": "c", "relative": ""} {
		if m, _ := under(mounts, path); m.source != want {
			t.Errorf("%s lies on %q, want %q", path, m.source, want)
		}
	}
}

func TestParseCgroup(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want []place
	}{
		{"0::/\n", nil},
		{"", nil},
		{"garbage\n1:x\n:::\n0::relative/docker/" + idA + "\n", nil},
		{"4:memory:/docker/" + idA + "\n0::/\n", []place{{runtime: Docker, id: idA, path: "/docker/" + idA}}},
		{"4:memory:/docker/" + idA, []place{{runtime: Docker, id: idA, path: "/docker/" + idA}}}, // no newline
		{"0::/docker/" + idA + "/docker/" + idB + "\n", []place{{runtime: Docker, id: idB, path: "/docker/" + idA + "/docker/" + idB}}},
		{"0::/../../docker/" + idA + "/x\n", []place{{runtime: Docker, id: idA, path: "/../../docker/" + idA + "/x"}}},
		{"0::/docker/" + idA[:63] + "\n", nil},
		{"0::/docker/" + strings.ToUpper(idA) + "\n", nil},
		{"0::/crio-conmon-" + idA + ".scope\n", nil},
		{"0::/my-kubepods.service\n", nil},
		{"0::/lxc\n", nil},
	} {
		if got := parseCgroup([]byte(tt.in)); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q: got %+v, want %+v", tt.in, got, tt.want)
		}
	}
}

func TestParseIDMap(t *testing.T) {
	got := parseIDMap([]byte("         0       4242          1\n  1 100000 65536\nx y z\n1 2\n1 2 99999999999999999999\n"))
	if want := []idmap{{0, 4242, 1}, {1, 100000, 65536}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
}

// seed adds the captured files of one name, and a few of the documented ones.
func seed(f *testing.F, name string, more ...string) {
	for _, dir := range folders(f) {
		data, err := os.ReadFile(filepath.Join("testdata", "captures", dir, name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, s := range more {
		f.Add([]byte(s))
	}
}

func FuzzCgroup(f *testing.F) {
	seed(f, "self-cgroup.txt", "0::/kubepods.slice/kubepods-pod.slice/crio-"+idA+".scope", `0::/machine.slice/systemd-nspawn@a\x2db.service/payload`)
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, p := range parseCgroup(data) {
			if p.runtime == "" && !p.kube {
				t.Errorf("a place that says nothing: %+v", p)
			}
			if p.id != "" && !isID(p.id) {
				t.Errorf("id %q", p.id)
			}
			if !strings.HasPrefix(p.path, "/") || !strings.Contains(string(data), p.path) || !strings.Contains(p.path, p.id) {
				t.Errorf("path %q, id %q", p.path, p.id)
			}
		}
		sane(t, map[string]string{"proc/self/cgroup": string(data)})
	})
}

func FuzzMountinfo(f *testing.F) {
	seed(f, "self-mountinfo.txt", kubelet+criHostname+snapshots, lxcfs+tmpfsRun, `1 2 3:4 /\040 /\ rw - a b c`+"\n")
	f.Fuzz(func(t *testing.T, data []byte) {
		mounts := parseMounts(data)
		if n := strings.Count(string(data), "\n"); len(mounts) > n {
			t.Errorf("%d mounts of %d lines", len(mounts), n)
		}
		for _, m := range mounts {
			if !strings.HasPrefix(m.point, "/") || m.fstype == "" {
				t.Errorf("%+v", m)
			}
			if got, ok := under(mounts, m.point); !ok || got.point != m.point {
				t.Errorf("%q is on %q", m.point, got.point)
			}
		}
		sane(t, map[string]string{"proc/self/mountinfo": string(data)})
	})
}

func FuzzContainerenv(f *testing.F) {
	f.Add([]byte("engine=\"podman-4.3.1\"\nname=\"web\"\nid=\"" + idA + "\"\nrootless=1\n"))
	f.Add([]byte("lxc\n"))
	f.Add([]byte("name=\"\x1b[31m\xff\"\nengine=\"\x1b]0;x\""))
	f.Fuzz(func(t *testing.T, data []byte) {
		sane(t, map[string]string{"run/.containerenv": string(data), "proc/self/cgroup": "0::/libpod-" + idA})
		sane(t, map[string]string{"run/systemd/container": string(data), "proc/self/mountinfo": tmpfsRun})
		sane(t, map[string]string{"proc/1/environ": string(data), "proc/self/uid_map": string(data)})
		sane(t, map[string]string{"proc/sys/kernel/osrelease": string(data), "proc/sys/kernel/hostname": string(data)})
	})
}

// sane detects, whatever the files say, and checks what must hold of every answer.
func sane(t *testing.T, files map[string]string) {
	t.Helper()
	fsys := capture{fsys: map[string]*mapFile{}}
	for name, content := range files {
		fsys.put(name, content)
	}
	info := fsys.detect()
	for _, s := range append(info.Evidence, info.String(), string(info.Runtime), info.Name, info.ID) {
		if !utf8.ValidString(s) || printable(s) != s || len(s) > 400 {
			t.Errorf("unfit for a terminal: %q", s)
		}
	}
	if info.ID != "" && !isID(info.ID) && !isHex(info.ID, 12) {
		t.Errorf("id %q", info.ID)
	}
	if info.Detected() != (info.Confidence != None) || info.Detected() != (info.String() != "") || info.Detected() && len(info.Evidence) == 0 {
		t.Errorf("%#v", info)
	}
}
