package container

import (
	"strings"
	"testing"
	"time"
)

// Mounts that were not captured, written by what is documented of them: the kubelet's volumes (kubernetes.io~PLUGIN under the pod's
// directory), the drivers of Docker's storage ("docs: storage drivers"), containerd's snapshotters, lxc.container.conf(5).
func TestPlacesOfOtherMounts(t *testing.T) {
	const (
		pod     = "/var/lib/kubelet/pods/" + podUID
		overlay = "1 0 0:74 / / rw - overlay overlay rw,lowerdir=/l,upperdir=/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots/12/fs,workdir=/w\n"
		dev     = "5 1 0:80 / /dev rw,nosuid - tmpfs tmpfs rw,size=65536k,mode=755\n"
		docker  = "14 1 8:1 /var/lib/docker/containers/" + idA + "/hostname /etc/hostname rw - ext4 /dev/sda1 rw\n"
		libpod  = "14 1 8:1 /x/overlay-containers/" + idA + "/userdata/.containerenv /run/.containerenv rw - ext4 /dev/sda1 rw\n"
		header  = "# namespaces pid ipc uts\n# start 2026-01-01T10:00:00.000Z\n# born /dev 0:80 2026-01-01T10:00:00.020Z\n"
	)
	for _, tt := range []struct {
		name, text, path string
		want             Visibility
	}{
		// Kubernetes
		{"a pod's root", overlay + kubelet, "/lock", OwnLayer},
		{"emptyDir", overlay + kubelet + "20 1 8:1 " + pod + "/volumes/kubernetes.io~empty-dir/scratch /scratch rw - ext4 /dev/sda1 rw\n", "/scratch/lock", Shared},
		{"emptyDir by a subPath", overlay + kubelet + "20 1 8:1 " + pod + "/volumes/kubernetes.io~empty-dir/scratch/a /scratch rw - ext4 /dev/sda1 rw\n", "/scratch/lock", Shared},
		{"emptyDir in memory", header + "# born /mem 0:60 2026-01-01T09:59:58.500Z\n" + overlay + kubelet + dev + "20 1 0:60 / /mem rw - tmpfs tmpfs rw,size=1k\n", "/mem/lock", Shared},
		{"the same, in a pod that shares its pids", "# namespaces pid ipc\n# start 2026-01-01T09:59:59.000Z\n# born /dev 0:80 2026-01-01T10:00:00.020Z\n# born /mem 0:60 2026-01-01T09:59:58.500Z\n" +
			overlay + kubelet + dev + "20 1 0:60 / /mem rw - tmpfs tmpfs rw,size=1k\n", "/mem/lock", Unknown},
		{"the same, on an older kernel", overlay + kubelet + dev + "20 1 0:60 / /mem rw - tmpfs tmpfs rw,size=1k\n", "/mem/lock", Unknown},
		{"the sandbox's /dev/shm", header + overlay + kubelet + dev + "20 5 0:60 / /dev/shm rw - tmpfs shm rw,size=65536k\n", "/dev/shm/lock", Shared},
		{"hostPath", overlay + kubelet + "20 1 8:1 /srv/locks /locks rw - ext4 /dev/sda1 rw\n", "/locks/lock", Shared},
		{"a volume of a network", overlay + kubelet + "20 1 0:99 /exports/a /data rw - nfs4 10.0.0.9:/exports/a rw,vers=4.2\n", "/data/lock", Shared},
		{"a disk of its own", overlay + kubelet + "20 1 259:3 / /data rw - ext4 /dev/nvme2n1 rw\n", "/data/lock", Shared},

		// roots of other drivers
		{"devicemapper", "1 0 253:5 /rootfs / rw - xfs /dev/mapper/docker-8:1-131-" + idA + " rw\n" + docker, "/lock", OwnLayer},
		{"containerd's devmapper", "1 0 253:5 / / rw - ext4 /dev/mapper/pool-snap-12 rw\n" + kubelet, "/lock", OwnLayer},
		{"a root directory on a machine with volumes", "1 0 253:0 /srv/tree / rw - ext4 /dev/mapper/vg-root rw\n" + libpod, "/lock", Unknown},
		{"zfs", "1 0 0:50 / / rw - zfs pool/docker/" + idA + " rw\n" + docker, "/lock", OwnLayer},
		{"btrfs", "1 0 0:50 /var/lib/docker/btrfs/subvolumes/" + idA + " / rw - btrfs /dev/sda2 rw\n" + docker, "/lock", OwnLayer},
		{"aufs", "1 0 0:50 / / rw - aufs none rw,si=1\n" + docker, "/lock", OwnLayer},
		{"containerd's native", "1 0 8:1 /var/lib/containerd/io.containerd.snapshotter.v1.native/snapshots/7 / rw - ext4 /dev/sda1 rw\n" + kubelet, "/lock", OwnLayer},
		{"an overlay without an upper directory", "1 0 0:74 / / rw - overlay overlay ro,lowerdir=/l:/m\n" + docker, "/lock", ReadOnlyRoot},
		{"the same, and not said to be read-only", "1 0 0:74 / / rw - overlay overlay rw,lowerdir=/l:/m\n" + docker, "/lock", Unknown},
		{"LXC in a directory", "1 0 8:1 /var/lib/lxc/ct1/rootfs / rw - ext4 /dev/sda1 rw\n", "/lock", OwnLayer},
		{"WSL is a machine", "1 0 8:32 / / rw - ext4 /dev/sdc rw\n", "/lock", Machine},
		{"the root on a tmpfs with its own name", "1 0 0:50 /rootfs / rw - tmpfs tmpfs rw\n" + libpod, "/lock", Unknown},

		// parts of the root, bound inside of it
		{"a directory of the layer, bound elsewhere", overlay + kubelet + "20 1 0:74 /srv/a /b rw - overlay overlay rw,upperdir=/var/lib/containerd/x\n", "/b/lock", OwnLayer},
		{"the same on vfs", "1 0 8:1 /var/lib/docker/vfs/dir/" + idA + " / rw - ext4 /dev/sda1 rw\n" + docker + "20 1 8:1 /var/lib/docker/vfs/dir/" + idA + "/a /b rw - ext4 /dev/sda1 rw\n", "/b/lock", OwnLayer},
		{"a directory beside it", "1 0 8:1 /var/lib/docker/vfs/dir/" + idA + " / rw - ext4 /dev/sda1 rw\n" + docker + "20 1 8:1 /var/lib/docker/vfs/dir/" + idA + "0 /b rw - ext4 /dev/sda1 rw\n", "/b/lock", Shared},
		{"bound read-only", overlay + kubelet + "20 1 0:74 /srv/a /b ro - overlay overlay rw,upperdir=/var/lib/containerd/x\n", "/b/lock", ReadOnlyRoot},

		// volumes
		{"a volume by a subpath", overlay + docker + "20 1 8:1 /var/lib/docker/volumes/jobs/_data/sub /data rw - ext4 /dev/sda1 rw\n", "/data/lock", Shared},
		{"an anonymous one, volumes on a disk of their own", overlay + docker + "20 1 8:1 /" + idB + "/_data /data rw - ext4 /dev/sda1 rw\n", "/data/lock", OwnVolume},
		{"a directory of an outer container", overlay + docker + "20 1 0:33 /data /data rw - overlay overlay rw,lowerdir=/l,upperdir=/u\n", "/data/lock", Shared},
		{"a whole overlay of who knows whom", overlay + docker + "20 1 0:33 / /host rw - overlay overlay rw,lowerdir=/l,upperdir=/u\n", "/host/lock", Unknown},

		// tmpfs
		{"of the machine, old", header + "# born /t 0:60 2025-12-01T00:00:00Z\n" + overlay + docker + dev + "20 1 0:60 / /t rw - tmpfs tmpfs rw\n", "/t/lock", Shared},
		{"as old, and when the container began is not known", "# born /dev 0:80 2026-01-01T10:00:00.020Z\n# born /t 0:60 2025-12-01T00:00:00Z\n" + overlay + docker + dev + "20 1 0:60 / /t rw - tmpfs tmpfs rw\n", "/t/lock", Shared},
		{"made just before", header + "# born /t 0:60 2026-01-01T09:59:59.980Z\n" + overlay + docker + dev + "20 1 0:60 / /t rw - tmpfs tmpfs rw\n", "/t/lock", Shared},
		{"made just before, and by a coarse clock /dev was as well", "# namespaces pid\n# start 2026-01-01T10:00:00.000Z\n# born /dev 0:80 2026-01-01T09:59:59.995Z\n# born /t 0:60 2026-01-01T09:59:59.980Z\n" +
			overlay + docker + dev + "20 1 0:60 / /t rw - tmpfs tmpfs rw\n", "/t/lock", Shared},
		{"made just before, and the date was set since", "# namespaces pid\n# start 2026-01-01T11:00:00.000Z\n# born /dev 0:80 2026-01-01T10:00:00.020Z\n# born /t 0:60 2026-01-01T09:59:59.980Z\n" +
			overlay + docker + dev + "20 1 0:60 / /t rw - tmpfs tmpfs rw\n", "/t/lock", Unknown},
		{"made at the same time as pid 1", header + "# born /t 0:60 2026-01-01T09:59:59.995Z\n" + overlay + docker + dev + "20 1 0:60 / /t rw - tmpfs tmpfs rw\n", "/t/lock", Unknown},
		{"made after pid 1, before /dev", header + "# born /t 0:60 2026-01-01T10:00:00.012Z\n" + overlay + docker + dev + "20 1 0:60 / /t rw - tmpfs tmpfs rw\n", "/t/lock", OwnTmpfs},
		{"made inside, much later", header + "# born /t 0:60 2026-01-02T00:00:00Z\n" + overlay + docker + dev + "20 1 0:60 / /t rw - tmpfs tmpfs rw\n", "/t/lock", OwnTmpfs},
		{"mounted outside, much later", header + "# born /t 0:60 2026-01-02T00:00:00Z\n" + overlay + docker + dev + "20 1 0:60 / /t rw master:7 - tmpfs tmpfs rw\n", "/t/lock", Unknown},
		{"a part of one's own", header + "# born /t 0:60 2026-01-01T10:00:00.021Z\n" + overlay + docker + dev + "20 1 0:60 / /t rw - tmpfs tmpfs rw\n21 1 0:60 /a /u rw - tmpfs tmpfs rw\n", "/u/lock", OwnTmpfs},

		// what is mounted where
		{"a mount that another one hides", overlay + docker + "20 1 8:1 /outer/b /a/b rw - ext4 /dev/sda1 rw\n21 1 0:74 /x /a rw - overlay overlay rw,upperdir=/var/lib/containerd/x\n", "/a/b/lock", OwnLayer},
		{"one upon the other", overlay + docker + "20 1 0:74 /x /a rw - overlay overlay rw,upperdir=/y\n21 20 8:1 /srv /a rw - ext4 /dev/sda1 rw\n", "/a/lock", Shared},
		{"a name that only begins alike", overlay + docker + "20 1 8:1 /srv /data rw - ext4 /dev/sda1 rw\n", "/database/lock", OwnLayer},
		{"in a chroot below all mounts", "20 1 8:1 /var/lib/docker/containers/" + idA + "/hosts /etc/hosts rw - ext4 /dev/sda1 rw\n", "/lock", Unknown},
		{"a relative path", overlay + docker, "lock", Unknown},
		{"a file system of the kernel's", overlay + docker + "20 1 0:5 / /proc rw - proc proc rw\n", "/proc/lock", Unknown},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := newView(t, tt.text)
			if tt.want == Machine {
				v.info.Runtime = WSL
			}
			got := v.locate(tt.path)
			if got.Visibility != tt.want || got.Evidence == "" || printable(got.Evidence) != got.Evidence {
				t.Errorf("got %s, want %s; container %q", got, tt.want, v.info)
			}
		})
	}
}

// What is said of a root is true of its driver.
func TestEvidenceOfRoots(t *testing.T) {
	for name, want := range map[string]string{
		"docker-overlay2": "upper directory is /var/lib/docker/overlay2/", "podman-vfs-runc": "/vfs/dir/", "podman-fuse-overlayfs": "own: fuse.fuse-overlayfs",
		"podman-rootfs": "the directory /srv/lab/img of the machine", "nspawn": "a container of systemd-nspawn", "docker-readonly": "/ is read-only",
	} {
		if got := loadView(t, name).locate("/lock"); !strings.Contains(got.Evidence, want) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestVisibilityWords(t *testing.T) {
	seen := map[string]bool{}
	for v := range ReadOnlyRoot + 2 {
		seen[v.String()] = true
	}
	if len(seen) != int(ReadOnlyRoot)+1 { // the one beyond is as good as unknown
		t.Errorf("%v", seen)
	}
	for v, want := range map[Visibility]bool{Unknown: false, Machine: false, Shared: false, OwnLayer: true, OwnTmpfs: true, OwnVolume: true, ReadOnlyRoot: false} {
		if v.Private() != want {
			t.Errorf("%s: private %v", v, !want)
		}
	}
	if got := (Place{Shared, "because"}).String() + "; " + (Place{}).String(); got != "shared: because; unknown" {
		t.Error(got)
	}
}

// Whatever mountinfo says, there is an answer, it is fit for printing, and it comes to an end.
func FuzzWhere(f *testing.F) {
	seed(f, "self-mountinfo.txt", "1 1 0:1 / / rw - overlay o rw\n2 1 0:2 / / rw - tmpfs o rw\n1 2 0:3 / / rw - tmpfs o rw\n", "1 2 0:1 / / rw - overlay o rw\n2 1 0:1 / / rw - tmpfs o rw\n", kubelet+snapshots)
	dates := [2]time.Time{time.Unix(1, 0), time.Unix(2, 0)}
	f.Fuzz(func(t *testing.T, data []byte) {
		v := view{
			info:  Info{Runtime: Docker},
			table: parseTable(data),
			born:  func(r row) (time.Time, bool) { return dates[len(r.point)%2], len(r.id)%2 == 0 },
			start: func() (time.Time, bool) { return dates[0], true },
		}
		paths := []string{"/", "/a/b", "/dev/shm/lock", "relative", ""}
		for _, r := range v.table {
			paths = append(paths, r.point+"/lock")
		}
		for _, path := range paths[:min(len(paths), 50)] {
			got := v.locate(path)
			if got.Visibility == Machine || got.Evidence == "" || printable(got.Evidence) != got.Evidence || len(got.Evidence) > 800 {
				t.Errorf("%q: %v %q", path, got.Visibility, got.Evidence)
			}
			if _, ok := v.table.root(); !ok && got.Visibility != Unknown {
				t.Errorf("%q: %v without a root", path, got)
			}
		}
	})
}
