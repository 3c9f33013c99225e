package container

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// loadView builds what a captured process could see of its mounts.
func loadView(t testing.TB, name string) view {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "mounts", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return newView(t, string(data))
}

// newView takes a capture apart, see testdata/mounts/README.md.
func newView(t testing.TB, text string) view {
	t.Helper()
	var mounts strings.Builder
	var namespaces []string
	var start time.Time
	births := map[string]time.Time{}
	date := func(s string) time.Time {
		at, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	for l := range strings.Lines(text) {
		f := strings.Fields(l)
		switch {
		case !strings.HasPrefix(l, "#"):
			mounts.WriteString(l)
		case f[1] == "namespaces":
			namespaces = f[2:]
		case f[1] == "start":
			start = date(f[2])
		case f[1] == "born":
			births[f[2]+" "+f[3]] = date(f[4])
		default:
			t.Fatalf("%q is no line of a capture", l)
		}
	}
	c := capture{fsys: map[string]*mapFile{}}
	c.put("proc/self/mountinfo", mounts.String())
	v := view{
		info:  c.detect(),
		table: parseTable([]byte(mounts.String())),
		born: func(r row) (time.Time, bool) {
			at, ok := births[r.point+" "+r.dev]
			return at, ok
		},
		start: func() (time.Time, bool) { return start, !start.IsZero() },
	}
	v.info.Namespaces = namespaces
	return v
}

// places are the right answers: of captured mounts, by the paths that volumes were given, see testdata/mounts/README.md.
var places = map[string]map[string]Visibility{
	"docker-overlay2": {
		"/": OwnLayer, "/lock": OwnLayer, "/var/lib/app/lock": OwnLayer, "/anonymous": OwnLayer,
		"/bind": Shared, "/bind/a/lock": Shared, "/named/lock": Shared, "/anon/lock": OwnVolume,
		"/ownt/lock": OwnTmpfs, "/tv/lock": Shared, "/ht/lock": Shared, "/hts/lock": Shared,
		"/dev/lock": OwnTmpfs, "/dev/shm/lock": OwnTmpfs, "/dev/mqueue/lock": Unknown, "/proc/lock": Unknown, "/etc/lock": OwnLayer,
	},
	"docker-shareable": {"/lock": OwnLayer, "/dev/shm/lock": Unknown, "/dev/lock": OwnTmpfs},
	"docker-ipchost":   {"/lock": OwnLayer, "/dev/shm/lock": Shared},
	"docker-pidhost":   {"/lock": OwnLayer, "/ownt/lock": OwnTmpfs, "/ht/lock": Shared, "/tv/lock": Unknown}, // when the container began is not known
	"docker-readonly":  {"/lock": ReadOnlyRoot, "/tmp/lock": OwnTmpfs, "/named/lock": Shared},
	"docker-hostdev":   {"/lock": OwnLayer, "/tmp/lock": Unknown, "/dev/lock": Shared, "/dev/shm/lock": Unknown},
	"podman-vfs-runc": {
		"/lock": OwnLayer, "/bind/lock": Shared, "/named/lock": Shared, "/anon/lock": OwnVolume,
		"/ownt/lock": OwnTmpfs, "/tv/lock": Shared, "/ht/lock": Shared, "/hts/lock": Shared, "/ov/lock": OwnLayer,
		"/dev/shm/lock": Unknown, "/etc/hosts/lock": Shared,
	},
	"podman-overlay-crun": {
		"/lock": OwnLayer, "/bind/lock": Shared, "/named/lock": Shared, "/anon/lock": OwnVolume,
		"/ownt/lock": OwnTmpfs, "/tv/lock": Shared, "/ht/lock": Shared, "/hts/lock": Shared, "/ov/lock": OwnLayer,
		"/dev/shm/lock": Unknown,
	},
	"podman-readonly":         {"/lock": ReadOnlyRoot, "/tmp/lock": OwnTmpfs, "/run/lock": OwnTmpfs, "/var/tmp/lock": OwnTmpfs},
	"podman-ipchost":          {"/lock": OwnLayer, "/dev/shm/lock": Shared},
	"podman-pod":              {"/lock": OwnLayer, "/dev/shm/lock": Unknown},
	"podman-rootfs":           {"/lock": Unknown, "/tmp/lock": OwnTmpfs, "/tv/lock": Shared},
	"podman-rootfs-overlay":   {"/lock": OwnLayer},
	"podman-fuse-overlayfs":   {"/lock": OwnLayer, "/ownt/lock": OwnTmpfs, "/named/lock": Shared},
	"podman-rootless-overlay": {"/lock": OwnLayer, "/ownt/lock": OwnTmpfs, "/named/lock": Shared, "/anon/lock": OwnVolume},
	"nspawn": {
		"/lock": OwnLayer, "/bind/lock": Shared, "/var/lock": OwnTmpfs, "/tmp/lock": OwnTmpfs, "/run/lock": OwnTmpfs,
		"/run/host/lock": OwnTmpfs, "/dev/shm/lock": OwnTmpfs,
	},
	"bwrap-newroot": {"/lock": OwnTmpfs, "/tmp/lock": OwnTmpfs, "/dev/lock": OwnTmpfs, "/hostshm/lock": Shared, "/usr/lock": Shared},
}

func TestPlacesInCaptures(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "mounts", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no captures: %v", err)
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(f), ".txt"))
	}
	for name := range maps.Keys(places) {
		if !slices.Contains(names, name) {
			t.Errorf("%s: an answer without its capture", name)
		}
	}
	for _, name := range names {
		if places[name] == nil {
			t.Errorf("%s: a capture without its right answers", name)
		}
		v := loadView(t, name)
		for _, path := range slices.Sorted(maps.Keys(places[name])) {
			got := v.locate(path)
			t.Logf("%s: %s: %s", name, path, got)
			if want := places[name][path]; got.Visibility != want {
				t.Errorf("%s: %s is %s, want %s", name, path, got, want)
			}
			if got.Evidence == "" || printable(got.Evidence) != got.Evidence {
				t.Errorf("%s: %s: evidence %q", name, path, got.Evidence)
			}
		}
	}
}

// The captures made for detection know nothing of when a tmpfs was made, as on an older kernel.
func TestPlacesInOlderCaptures(t *testing.T) {
	for dir, want := range map[string]map[string]Visibility{
		"host":                            {"/lock": Machine, "/dev/shm/lock": Machine, "/run/lock": Machine},
		"unshare/pid-uts":                 {"/lock": Machine},
		"bwrap/default":                   {"/lock": Machine},
		"docker-rootful/default":          {"/lock": OwnLayer, "/out/lock": Shared, "/dev/shm/lock": Unknown},
		"docker-rootful/cgroupns-private": {"/lock": OwnLayer},
		"docker-rootful/readonly":         {"/lock": ReadOnlyRoot, "/run/lock": Unknown, "/out/lock": Shared},
		"docker-rootful/pidhost":          {"/lock": OwnLayer},
		"podman-rootful/runc":             {"/lock": Unknown, "/out/lock": Shared}, // --rootfs
		"podman-rootful/runc-image":       {"/lock": OwnLayer, "/out/lock": Shared},
		"podman-rootless/runc-default":    {"/lock": OwnLayer, "/out/lock": Shared, "/dev/lock": OwnTmpfs},
		"podman-cgroup2/crun":             {"/lock": Unknown, "/out/lock": Shared}, // --rootfs, on a tmpfs
	} {
		c := load(t, dir)
		none := func(row) (time.Time, bool) { return time.Time{}, false }
		v := view{info: c.detect(), table: parseTable(c.fsys["proc/self/mountinfo"].Data), born: none,
			start: func() (time.Time, bool) { return time.Time{}, false }}
		for path, want := range want {
			if got := v.locate(path); got.Visibility != want {
				t.Errorf("%s: %s is %s, want %s", dir, path, got, want)
			}
		}
	}
}
