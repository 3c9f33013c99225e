package container

import (
	"maps"
	"reflect"
	"slices"
	"testing"
)

// An answer is what is to be found, and what String makes of it.
type answer struct {
	Info
	text string
}

// answers are the right answers, by folder.
var answers = map[string]answer{
	"host": {}, // which has a /.dockerenv
	"unshare/pid-uts": {Info: Info{
		Namespaces: []string{"pid", "uts", "ipc"}}},
	"bwrap/default": {Info: Info{
		Namespaces: []string{"pid", "user", "uts", "ipc", "cgroup"}}},

	"docker-rootful/default": {Info{
		Runtime: Docker, Confidence: Certain, Namespaces: []string{"pid", "uts", "ipc"},
		ID: "49e9c652dc2ffc9b9a05e77d14d8af981d332ee53286b5b5c5d64f83f813ad8f"}, "docker 49e9c652dc2f"},
	"docker-rootful/cgroupns-private": {Info{
		Runtime: Docker, Confidence: Certain, Namespaces: []string{"pid", "uts", "ipc", "cgroup"},
		ID: "22b5fbf093dbd2d04a26aa3f335d7494fee49aded164e20256505c9f3b84358b"}, "docker 22b5fbf093db"},
	"docker-rootful/init-hostname": {Info{
		Runtime: Docker, Confidence: Certain, Namespaces: []string{"pid", "uts", "ipc"},
		ID: "714a4577d538e509411a01cad35af6f126a3136746bfc39aafae3bf5bb1cc952"}, "docker 714a4577d538"},
	"docker-rootful/readonly": {Info{
		Runtime: Docker, Confidence: Certain, Namespaces: []string{"pid", "uts", "ipc"},
		ID: "a2db50bbc932f5bc0be268a002e535eed87947e9c9658a82aae5a9c5977089bd"}, "docker a2db50bbc932"},
	"docker-rootful/pidhost": {Info{
		Runtime: Docker, Confidence: Certain, Namespaces: []string{"ipc"}, HostPID: true,
		ID: "6303c70261097c690326855371bde8afa8ef974ce834a13968ebad7892abff14"}, "docker 6303c7026109 (host's pids)"},

	"podman-rootful/runc": {Info{ // --rootfs: no variable, no layer store
		Runtime: Podman, Confidence: Certain, Namespaces: []string{"pid", "uts", "ipc"},
		ID: "52e338d200604c15318e06358154da2631b99b69e5e84a09ce7dc6cfeaff6f28"}, "podman 52e338d20060"},
	"podman-rootful/runc-image": {Info{
		Runtime: Podman, Confidence: Certain, Namespaces: []string{"pid", "uts", "ipc"},
		ID: "3c5e206f4916f0fadcf85346c7240cc6c20522792ea8ea72f5a7c4168b42a021"}, "podman 3c5e206f4916"},
	"podman-rootful/runc-image-defaultnet": {Info{
		Runtime: Podman, Confidence: Certain, Namespaces: []string{"pid", "uts", "ipc"},
		ID: "7d3b35739ca89a2ade13ebffdfd5a3a4eeaeba85baf14ab2fafcbfc7f454fa76"}, "podman 7d3b35739ca8"},
	"podman-rootful/runc-pidhost": {Info{
		Runtime: Podman, Confidence: Certain, Namespaces: []string{"ipc"}, HostPID: true,
		ID: "423c069a5b9db017d83340579c952ab84f7b8b3f323b7c46c8887642271d916e"}, "podman 423c069a5b9d (host's pids)"},

	"podman-rootless/runc-default": {Info{
		Runtime: Podman, Rootless: true, Confidence: Certain, Namespaces: []string{"pid", "user", "uts", "ipc"},
		ID: "984b2cc4b39cf23bd8c7cfb5f14d1c3861d07ba5fd8d67d142c965e0a7802ed4"}, "podman 984b2cc4b39c (rootless)"},
	"podman-rootless/runc-keepid": {Info{
		Runtime: Podman, Rootless: true, Confidence: Certain, Namespaces: []string{"pid", "user", "uts", "ipc"},
		ID: "c421f7d6badbbbb09f0ab4c044aa14796a7bdc13ce8b20d7426e5493980ef301"}, "podman c421f7d6badb (rootless)"},
	"podman-rootless/runc-pidhost": {Info{ // neither /proc/1 nor its environment can be seen
		Runtime: Podman, Rootless: true, Confidence: Certain, Namespaces: []string{"user", "uts", "ipc"}, HostPID: true,
		ID: "5b5c22a26b3708bba82c1b6afab5ab503c4d6b3ea5273b4c784c4eca4da90607"}, "podman 5b5c22a26b37 (rootless, host's pids)"},

	"podman-cgroup2/crun": {Info{ // 0::/ and nothing else
		Runtime: Podman, Confidence: Certain, Namespaces: []string{"pid", "uts", "ipc", "cgroup"},
		ID: "a9b7e0f679e685cf6670903c7bea3dc161d7b7a8150d3b9e153cd8f55dfbcb81"}, "podman a9b7e0f679e6"},
	"podman-cgroup2/runc": {Info{
		Runtime: Podman, Confidence: Certain, Namespaces: []string{"pid", "uts", "ipc", "cgroup"},
		ID: "eb1cf4a38a473c60376d364e8336efda7f7deffa97f210dd40315929de25bce8"}, "podman eb1cf4a38a47"},
}

func TestCaptures(t *testing.T) {
	dirs := folders(t)
	for _, dir := range dirs {
		t.Run(dir, func(t *testing.T) {
			want, ok := answers[dir]
			if !ok {
				t.Fatal("a capture without its right answer in the table")
			}
			got := load(t, dir).detect()
			t.Logf("%q because of %q", got, got.Evidence)
			if got.Detected() && len(got.Evidence) == 0 {
				t.Error("an answer without evidence")
			}
			if got.String() != want.text {
				t.Errorf("String() = %q, want %q", got, want.text)
			}
			got.Evidence = nil
			if !reflect.DeepEqual(got, want.Info) {
				t.Errorf("got  %#v\nwant %#v", got, want.Info)
			}
		})
	}
	for dir := range maps.Keys(answers) {
		if !slices.Contains(dirs, dir) {
			t.Errorf("%s: an answer without its capture", dir)
		}
	}
}

// A host with marks on it stays a host, and says what it saw.
func TestLeftOverMarks(t *testing.T) {
	for _, dir := range []string{"host", "unshare/pid-uts"} {
		for name, leave := range map[string]func(capture){
			"dockerenv":                func(capture) {},
			"containerenv too":         func(c capture) { c.put("run/.containerenv", "") },
			"variable of a user":       func(c capture) { delete(c.fsys, ".dockerenv"); c.vars["container"] = "podman" },
			"variable given to pid 1":  func(c capture) { delete(c.fsys, ".dockerenv"); c.put("proc/1/environ", "A=b\x00container=oci\x00") },
			"KUBERNETES_SERVICE_HOST":  func(c capture) { c.vars["KUBERNETES_SERVICE_HOST"] = "10.0.0.1" },
			"systemd's file, on disk":  func(c capture) { c.put("run/systemd/container", "lxc\n") },
			"manager's file, on disk":  func(c capture) { c.put("run/host/container-manager", "systemd-nspawn\n") },
			"name of a container":      func(c capture) { delete(c.fsys, ".dockerenv"); c.put("proc/sys/kernel/hostname", "49e9c652dc2f\n") },
			"service unit of a daemon": func(c capture) { c.put("proc/self/cgroup", "0::/system.slice/docker.service\n") },
		} {
			t.Run(dir+"/"+name, func(t *testing.T) {
				c := load(t, dir)
				leave(c)
				got := c.detect()
				if got.Detected() || got.String() != "" || got.Confidence != None || got.ID != "" {
					t.Errorf("got %#v", got)
				}
				if len(got.Evidence) == 0 {
					t.Error("the mark is not listed")
				}
			})
		}
	}
}

// Each of these takes evidence away or adds what is misleading; the answer may lose certainty, never become a wrong one.
func TestVariants(t *testing.T) {
	const (
		mounts, cgroup, environ = "proc/self/mountinfo", "proc/self/cgroup", "proc/1/environ"
	)
	without := func(names ...string) func(capture) {
		return func(c capture) {
			for _, n := range names {
				delete(c.fsys, n)
			}
		}
	}
	for _, tt := range []struct {
		name, dir string
		change    func(capture)
		want      string
	}{
		{"Docker, mounts unreadable", "docker-rootful/default", without(mounts), "docker 49e9c652dc2f"},
		{"Docker, cgroup unreadable", "docker-rootful/default", without(cgroup), "docker 49e9c652dc2f"},
		{"Docker, mark removed", "docker-rootful/cgroupns-private", without(".dockerenv"), "docker 22b5fbf093db"},
		{"Docker, only mark and host name", "docker-rootful/default", without(mounts, cgroup), "docker 49e9c652dc2f (likely)"},
		{"Docker, only the mark", "docker-rootful/init-hostname", without(mounts, cgroup), ""},
		{"Docker, image made of a marked tree", "docker-rootful/default", func(c capture) { c.put("run/.containerenv", "") }, "docker 49e9c652dc2f"},
		{"the same in a private cgroup namespace, own files over /etc", "docker-rootful/cgroupns-private", func(c capture) {
			c.put("run/.containerenv", "engine=\"podman-4.3.1\"\nname=\"old\"\nid=\"6303c70261097c690326855371bde8afa8ef974ce834a13968ebad7892abff14\"\n")
			c.put(mounts, "282 252 254:0 /srv/vfs/dir/57cedd2c8481abef593734a89b4a6a7ba50b60084fdaa0615d52d42b238483c9 / rw - ext4 /dev/vda rw\n")
		}, "docker 22b5fbf093db"},
		{"Docker, image that says container=podman", "docker-rootful/default", func(c capture) {
			c.put(environ, "container=podman\x00")
			c.vars["container"] = "podman"
		}, "docker 49e9c652dc2f"},
		{"Docker, network of another container", "docker-rootful/default", func(c capture) {
			c.put(cgroup, "0::/docker/a2db50bbc932f5bc0be268a002e535eed87947e9c9658a82aae5a9c5977089bd\n")
		}, "docker a2db50bbc932"},
		{"Podman in an image with Docker's mark", "podman-rootful/runc-image", func(c capture) { c.put(".dockerenv", "") }, "podman 3c5e206f4916"},
		{"Podman, pid 1 unreadable", "podman-rootful/runc-image", without(environ), "podman 3c5e206f4916"},
		{"Podman, mounts unreadable", "podman-rootful/runc-image", without(mounts), "podman 3c5e206f4916"},
		{"rootless Podman, mounts unreadable", "podman-rootless/runc-default", without(mounts), "podman 984b2cc4b39c (rootless, likely)"},
		{"rootless Podman, privileged", "podman-rootless/runc-default", func(c capture) {
			c.put("run/.containerenv", "engine=\"podman-4.3.1\"\nname=\"web\"\nid=\"984b2cc4b39cf23bd8c7cfb5f14d1c3861d07ba5fd8d67d142c965e0a7802ed4\"\nrootless=1\n")
		}, "podman web 984b2cc4b39c (rootless)"},
		{"rootful Podman with ids remapped by root", "podman-rootful/runc", func(c capture) {
			c.put("proc/self/uid_map", "         0     231072      65536\n")
		}, "podman 52e338d20060"},
		{"rootless Podman, known by its id map only", "podman-rootful/runc", func(c capture) {
			c.put("proc/self/uid_map", "         0       1000          1\n         1     100000      65536\n")
		}, "podman 52e338d20060 (rootless)"},
		{"rootless, which Podman says itself", "podman-rootful/runc", func(c capture) { c.put("run/.containerenv", "rootless=1\n") }, "podman 52e338d20060 (rootless)"},
		{"not rootless, which Podman says itself", "podman-rootless/runc-default", func(c capture) { c.put("run/.containerenv", "rootless=0\n") }, "podman 984b2cc4b39c"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := load(t, tt.dir)
			tt.change(c)
			if got := c.detect(); got.String() != tt.want {
				t.Errorf("got %q, want %q, because of %q", got, tt.want, got.Evidence)
			}
		})
	}
}
