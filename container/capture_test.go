package container

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// capture is what one folder of testdata/captures holds: a process's view of its machine.
type capture struct {
	fsys fstest.MapFS
	vars map[string]string
}

func (c capture) env(k string) string { return c.vars[k] }

func (c capture) detect() Info { return Detect(c.fsys, c.env) }

func (c capture) put(name, content string) { c.fsys[name] = file(content) }

type mapFile = fstest.MapFile

func file(content string) *mapFile { return &mapFile{Data: []byte(content), Mode: 0o444} }

// load builds the file system that a captured process saw.
func load(t testing.TB, dir string) capture {
	t.Helper()
	dir = filepath.Join("testdata", "captures", filepath.FromSlash(dir))
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	c := capture{fsys: fstest.MapFS{}, vars: map[string]string{}}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		switch name := strings.TrimSuffix(e.Name(), ".txt"); name {
		case "self-mountinfo":
			c.put("proc/self/mountinfo", text)
		case "self-cgroup":
			c.put("proc/self/cgroup", text)
		case "uid_map":
			c.put("proc/self/uid_map", text)
		case "hostname":
			c.put("proc/sys/kernel/hostname", text)
		case "etc-hostname":
			c.put("etc/hostname", text)
		case "boot_id":
			c.put("proc/sys/kernel/random/boot_id", text)
		case "machine-id":
			c.put("etc/machine-id", text)
		case "pid1-environ":
			c.put("proc/1/environ", strings.ReplaceAll(text, "\n", "\x00"))
		case "pid1-cgroup", "pid1-status":
			c.put("proc/1/"+strings.TrimPrefix(name, "pid1-"), text)
		case "exists_.dockerenv":
			c.put(".dockerenv", text)
		case "exists_run_.containerenv":
			c.put("run/.containerenv", text)
		case "exists_run_host_container-manager":
			c.put("run/host/container-manager", text)
		case "sys-kernel-osrelease":
			c.put("proc/sys/kernel/osrelease", text)
		case "missing_.dockerenv", "missing_run_.containerenv", "missing_run_host_container-manager", "missing_run_systemd_container":
		case "env":
			for l := range strings.Lines(text) {
				k, v, _ := strings.Cut(strings.TrimSpace(l), "=")
				c.vars[k] = v
			}
		case "ns": // "pid self=pid:[4026531836] 1=..."
			for l := range strings.Lines(text) {
				f := strings.Fields(l)
				link := strings.TrimPrefix(f[1], "self=")
				c.fsys["proc/self/ns/"+f[0]] = &fstest.MapFile{Data: []byte(link), Mode: fs.ModeSymlink | 0o777}
			}
		default:
			t.Fatalf("%s: a file that the loader does not know", filepath.Join(dir, e.Name()))
		}
	}
	return c
}

// folders lists the captures: the folders with a cgroup file in them.
func folders(t testing.TB) []string {
	t.Helper()
	var dirs []string
	base := filepath.Join("testdata", "captures")
	err := filepath.WalkDir(base, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "self-cgroup.txt" {
			rel, _ := filepath.Rel(base, filepath.Dir(p))
			dirs = append(dirs, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no captures: %v", err)
	}
	return dirs
}
