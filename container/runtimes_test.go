package container

import (
	"strings"
	"testing"
	"testing/fstest"
)

// Runtimes of which there is no capture, written by what is documented of them. Lines are shortened to what is asked for.
// Sources: kubelet and containerd's CRI bind mounts as they show in public bug reports of pods; cgroup names of runc's and
// systemd's drivers ("<slice>:<prefix>:<id>" is runc's own notation); nerdctl docs/dir.md; podman-run(1) on .containerenv;
// lxc.container.conf(5) on lxc.payload; lxcfs's README on what it is mounted over; systemd.io/CONTAINER_INTERFACE on
// $container, /run/host/container-manager and /run/systemd/container; systemd's src/nspawn/nspawn.c on /run/host/incoming;
// WSL's kernel releases ("...-microsoft-standard-WSL2", and "...-Microsoft" of the first version).
const (
	idA     = "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f809"
	idB     = "bbbbbbbbbbbbcccccccccccc000000000000111111111111222222222222ffff"
	podUID  = "e50f2933-b36b-4e3b-89b1-280707f7bc53"
	podUIDu = "e50f2933_b36b_4e3b_89b1_280707f7bc53"

	kubelet = `11 1 8:1 /var/lib/kubelet/pods/` + podUID + `/etc-hosts /etc/hosts rw - ext4 /dev/sda1 rw
12 1 8:1 /var/lib/kubelet/pods/` + podUID + `/containers/web/3404dd90 /dev/termination-log rw - ext4 /dev/sda1 rw
13 1 0:297 / /var/run/secrets/kubernetes.io/serviceaccount ro - tmpfs tmpfs rw,size=2880088k
`
	criHostname = `14 1 8:1 /var/lib/containerd/io.containerd.grpc.v1.cri/sandboxes/` + idB + `/hostname /etc/hostname rw - ext4 /dev/sda1 rw
`
	snapshots = `1 0 0:74 / / rw - overlay overlay rw,lowerdir=/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots/9/fs,upperdir=/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots/12/fs,workdir=/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots/12/work
`
	plainRoot = "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
	tmpfsRun  = "2 1 0:30 / /run rw,nosuid,nodev - tmpfs tmpfs rw,mode=755\n"
	lxcfs     = "3 1 0:54 /proc/meminfo /proc/meminfo rw,nosuid,nodev - fuse.lxcfs lxcfs rw,user_id=0,group_id=0,allow_other\n"
)

func TestRuntimes(t *testing.T) {
	for _, tt := range []struct {
		name                    string
		mounts, cgroup, environ string
		files, vars             map[string]string
		want                    string
	}{
		// Kubernetes
		{name: "containerd, systemd's cgroups", mounts: snapshots + kubelet + criHostname,
			cgroup: "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" + podUIDu + ".slice/cri-containerd-" + idA + ".scope",
			want:   "containerd web 1a2b3c4d5e6f (kubernetes)"},
		{name: "containerd, cgroup v2 with a private namespace: the sandbox's id is not ours", mounts: snapshots + kubelet + criHostname,
			cgroup: "0::/", want: "containerd web (kubernetes)"},
		{name: "containerd, cgroup v1 without systemd", mounts: snapshots + kubelet + criHostname,
			cgroup: "11:pids:/kubepods/besteffort/pod" + podUID + "/" + idA, want: "containerd web 1a2b3c4d5e6f (kubernetes)"},
		{name: "containerd, runc's notation", cgroup: "11:pids:/kubepods-besteffort-pod" + podUIDu + ".slice:cri-containerd:" + idA,
			want: "containerd 1a2b3c4d5e6f (kubernetes)"},
		{name: "k3s, under another root", mounts: strings.ReplaceAll(snapshots+kubelet+criHostname, "/var/lib/containerd", "/var/lib/rancher/k3s/agent/containerd"),
			cgroup: "0::/", want: "containerd web (kubernetes)"},
		{name: "CRI-O", mounts: kubelet + "14 1 0:24 /containers/storage/overlay-containers/" + idB + "/userdata/hostname /etc/hostname rw - tmpfs tmpfs rw\n" +
			"15 1 0:24 /containers/storage/overlay-containers/" + idA + "/userdata/.containerenv /run/.containerenv rw - tmpfs tmpfs rw\n",
			cgroup: "0::/", want: "cri-o web 1a2b3c4d5e6f (kubernetes)"},
		{name: "CRI-O, cgroup", cgroup: "0::/kubepods.slice/kubepods-pod" + podUIDu + ".slice/crio-" + idA + ".scope/container", want: "cri-o 1a2b3c4d5e6f (kubernetes)"},
		{name: "Docker under a kubelet", mounts: kubelet + "14 1 8:1 /var/lib/docker/containers/" + idB + "/hostname /etc/hostname rw - ext4 /dev/sda1 rw\n",
			cgroup: "11:pids:/kubepods/burstable/pod" + podUID + "/" + idA, files: map[string]string{".dockerenv": ""}, want: "docker web 1a2b3c4d5e6f (kubernetes)"},
		{name: "Docker under a kubelet, id not to be had", mounts: kubelet + "14 1 8:1 /var/lib/docker/containers/" + idB + "/hostname /etc/hostname rw - ext4 /dev/sda1 rw\n",
			cgroup: "0::/", want: "docker web (kubernetes)"},
		{name: "a pod, runtime unknown", mounts: plainRoot + kubelet, cgroup: "0::/", want: "kubernetes web"},
		{name: "a pod, by its service account", mounts: "13 1 0:297 / /run/secrets/kubernetes.io/serviceaccount ro - tmpfs tmpfs rw\n", want: "kubernetes"},
		{name: "a pod, by its cgroup", cgroup: "0::/kubepods.slice/kubepods-pod" + podUIDu + ".slice", want: "kubernetes"},
		{name: "a pod, by its variable beside a runtime", mounts: snapshots, vars: map[string]string{"KUBERNETES_SERVICE_HOST": "10.0.0.1"}, want: "containerd (kubernetes)"},
		{name: "kind: a pod in a node that is a Docker container", mounts: snapshots + kubelet + criHostname,
			cgroup: "0::/system.slice/docker-" + idB + ".scope/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod" + podUIDu + ".slice/cri-containerd-" + idA + ".scope",
			want:   "containerd web 1a2b3c4d5e6f (kubernetes)"},
		{name: "a pod, by its hosts file", mounts: "11 1 8:1 /var/lib/kubelet/pods/" + podUID + "/etc-hosts /etc/hosts rw - ext4 /dev/sda1 rw\n", want: "kubernetes"},
		{name: "a pod, by its service account, by the older path", mounts: "13 1 0:297 / /var/run/secrets/kubernetes.io/serviceaccount ro - tmpfs tmpfs rw\n", want: "kubernetes"},
		{name: "CRI-O, only the sandbox's files", mounts: kubelet + "14 1 0:24 /containers/storage/overlay-containers/" + idB + "/userdata/hostname /etc/hostname rw - tmpfs tmpfs rw\n",
			cgroup: "0::/", want: "cri-o web (kubernetes)"},
		{name: "the node itself: the kubelet's mounts elsewhere", mounts: plainRoot + "9 1 0:297 / /var/lib/kubelet/pods/" + podUID + "/volumes/kubernetes.io~projected/x rw - tmpfs tmpfs rw\n",
			cgroup: "0::/system.slice/kubelet.service"},

		// containerd without Kubernetes
		{name: "nerdctl", mounts: snapshots + "14 1 8:1 /var/lib/nerdctl/1935db59/containers/default/" + idA + "/hostname /etc/hostname rw - ext4 /dev/sda1 rw\n",
			cgroup: "0::/", want: "containerd 1a2b3c4d5e6f"},
		{name: "crictl without a kubelet: the sandbox's id is not ours", mounts: criHostname, want: "containerd"},
		{name: "nerdctl, cgroup", cgroup: "0::/system.slice/nerdctl-" + idA + ".scope", want: "containerd 1a2b3c4d5e6f"},
		{name: "ctr: a namespace and an id", mounts: snapshots, cgroup: "0::/default/" + idA, want: "containerd 1a2b3c4d5e6f"},

		// Docker
		{name: "systemd's cgroups", cgroup: "0::/system.slice/docker-" + idA + ".scope", want: "docker 1a2b3c4d5e6f"},
		{name: "containerd's image store", mounts: snapshots + "14 1 8:1 /var/lib/docker/containers/" + idA + "/hosts /etc/hosts rw - ext4 /dev/sda1 rw\n", cgroup: "0::/", want: "docker 1a2b3c4d5e6f"},
		{name: "containerd's image store, only the mark", mounts: snapshots, files: map[string]string{".dockerenv": ""}, want: "docker"},
		{name: "overlay2, own data root, no mark", mounts: "1 0 0:74 / / rw - overlay overlay rw,lowerdir=/data/dk/overlay2/l/ABC:/data/dk/overlay2/l/DEF,upperdir=/data/dk/overlay2/" + idA + "/diff\n", want: "docker"},
		{name: "own cgroup parent", mounts: plainRoot, cgroup: "4:memory:/batch/" + idA, files: map[string]string{".dockerenv": ""}, want: "docker 1a2b3c4d5e6f"},
		{name: "a build step of BuildKit", cgroup: "0::/docker/buildkit/k2v8ci1mzkmjz0g8cpqdd9dgh", want: "docker"},
		{name: "rootless", mounts: "14 1 8:1 /home/u/.local/share/docker/containers/" + idA + "/hostname /etc/hostname rw - ext4 /dev/sda1 rw\n",
			files: map[string]string{"proc/self/uid_map": "0 1000 1\n1 100000 65536\n"}, want: "docker 1a2b3c4d5e6f (rootless)"},
		{name: "userns-remap", mounts: "14 1 8:1 /var/lib/docker/231072.231072/containers/" + idA + "/hostname /etc/hostname rw - ext4 /dev/sda1 rw\n",
			files: map[string]string{"proc/self/uid_map": "0 231072 65536\n"}, want: "docker 1a2b3c4d5e6f"},
		{name: "a file replaced on the host", mounts: `14 1 8:1 /var/lib/docker/containers/` + idA + `/resolv.conf//deleted /etc/resolv.conf rw - ext4 /dev/sda1 rw` + "\n", want: "docker 1a2b3c4d5e6f"},
		{name: "in LXC", mounts: lxcfs + "14 1 8:1 /var/lib/docker/containers/" + idA + "/hostname /etc/hostname rw - ext4 /dev/sda1 rw\n",
			cgroup: "0::/lxc.payload.ct1/docker/" + idA, environ: "container=lxc", want: "docker 1a2b3c4d5e6f"},
		{name: "in WSL", mounts: "14 1 8:1 /docker/containers/" + idA + "/hostname /etc/hostname rw - ext4 /dev/sda1 rw\n",
			files: map[string]string{"proc/sys/kernel/osrelease": "5.15.153.1-microsoft-standard-WSL2\n"}, want: "docker 1a2b3c4d5e6f"},
		{name: "not the daemon's host", mounts: plainRoot + "9 1 0:50 / /var/lib/docker/overlay2/" + idA + "/merged rw - overlay overlay rw,upperdir=/var/lib/docker/overlay2/" + idA + "/diff\n",
			cgroup: "0::/system.slice/docker.service", files: map[string]string{".dockerenv": ""}},
		{name: "a live system's overlay is no sign", mounts: "1 0 0:74 / / rw - overlay overlay rw,lowerdir=/rofs,upperdir=/cow/upper\n", files: map[string]string{".dockerenv": ""}},
		{name: "a btrfs subvolume is no sign", mounts: "1 0 0:74 /@ / rw - btrfs /dev/sda2 rw\n", files: map[string]string{".dockerenv": ""}},

		// Podman
		{name: "systemd's cgroups", cgroup: "0::/machine.slice/libpod-" + idA + ".scope/container", want: "podman 1a2b3c4d5e6f"},
		{name: "quadlet's split cgroups", cgroup: "0::/system.slice/web.service/libpod-payload-" + idA, want: "podman 1a2b3c4d5e6f"},
		{name: "rootless on a real /run/user", mounts: "1 0 0:74 / / rw - fuse.fuse-overlayfs fuse-overlayfs rw,user_id=0,group_id=0\n" +
			"15 1 0:47 /containers/overlay-containers/" + idA + "/userdata/.containerenv /run/.containerenv rw - tmpfs tmpfs rw,mode=700,uid=1000,gid=1000\n",
			cgroup: "0::/", files: map[string]string{"run/.containerenv": "", "proc/self/uid_map": "0 1000 1\n1 524288 65536\n"}, want: "podman 1a2b3c4d5e6f (rootless)"},
		{name: "rootless in a pod of Kubernetes", mounts: "15 1 0:47 /home/podman/.local/share/containers/storage/overlay-containers/" + idA + "/userdata/.containerenv /run/.containerenv rw - tmpfs tmpfs rw\n",
			cgroup: "0::/kubepods/burstable/pod" + podUID + "/" + idB, want: "podman 1a2b3c4d5e6f (kubernetes, rootless)"},
		{name: "not the monitor on the host", mounts: plainRoot, cgroup: "0::/machine.slice/libpod-conmon-" + idA + ".scope"},
		{name: "nor a pod's monitor", mounts: plainRoot, cgroup: "0::/machine.slice/machine-libpod_pod_" + idB + ".slice/libpod-conmon-" + idA + ".scope"},
		{name: "rootless, known by its directory only", mounts: "15 1 8:1 /run/user/1000/containers/overlay-containers/" + idA + "/userdata/.containerenv /run/.containerenv rw - ext4 /dev/sda1 rw\n",
			want: "podman 1a2b3c4d5e6f (rootless)"},
		{name: "fuse-overlayfs and the file", mounts: "1 0 0:74 / / rw - fuse.fuse-overlayfs fuse-overlayfs rw\n", files: map[string]string{"run/.containerenv": ""}, want: "podman"},
		{name: "toolbox: container=oci beside the file", mounts: plainRoot, files: map[string]string{"run/.containerenv": "name=\"fedora-toolbox\"\n"},
			vars: map[string]string{"container": "oci"}, want: "podman fedora-toolbox (likely)"},
		{name: "an id that is none", mounts: plainRoot, files: map[string]string{"run/.containerenv": "id=\"../../etc\"\n"},
			vars: map[string]string{"container": "podman"}, want: "podman (likely)"},
		{name: "Buildah", environ: "container=buildah", files: map[string]string{"run/.containerenv": "engine=\"buildah-1.33.7\"\n"}, want: "buildah"},

		// LXC
		{name: "LXC, pid 1's environment", mounts: plainRoot, cgroup: "0::/init.scope", environ: "TERM=linux\x00container=lxc", want: "lxc"},
		{name: "LXC, unprivileged user, systemd inside", mounts: plainRoot + tmpfsRun, cgroup: "0::/user.slice", files: map[string]string{"run/systemd/container": "lxc\n"}, want: "lxc"},
		{name: "LXC, cgroup v2", cgroup: "0::/lxc.payload.ct-1/system.slice/ssh.service", want: "lxc ct-1"},
		{name: "LXC, cgroup v1", cgroup: "5:devices:/lxc/ct1", want: "lxc ct1"},
		{name: "LXC, lxcfs only", mounts: plainRoot + lxcfs, want: "lxc"},
		{name: "LXC, root in a directory", mounts: "1 0 8:1 /var/lib/lxc/ct1/rootfs / rw - ext4 /dev/sda1 rw\n", want: "lxc ct1"},
		{name: "LXD, root in a btrfs pool", mounts: "1 0 0:38 /containers/web/rootfs / rw - btrfs /dev/vdb1 rw\n", want: "lxc web"},
		{name: "LXC, single ids passed through", cgroup: "5:devices:/lxc/ct1", files: map[string]string{"proc/self/uid_map": "0 100000 1000\n1000 1000 1\n"}, want: "lxc ct1"},
		{name: "libvirt's LXC", cgroup: `0::/machine.slice/machine-lxc\x2d3821\x2dct1.scope/libvirt`, environ: "container=lxc-libvirt", want: "lxc 3821-ct1"},
		{name: "libvirt's LXC, pid 1's environment", environ: "container=lxc-libvirt", want: "lxc"},
		{name: "not lxcfs's host, nor the monitor", mounts: plainRoot + "3 1 0:54 / /var/lib/lxcfs rw - fuse.lxcfs lxcfs rw\n", cgroup: "0::/lxc.monitor.ct1"},

		// systemd-nspawn
		{name: "nspawn", mounts: plainRoot + "9 1 0:24 /systemd/nspawn/propagate/deb12 /run/host/incoming ro master:5 - tmpfs tmpfs rw\n", cgroup: "0::/init.scope",
			environ: "container=systemd-nspawn", want: "systemd-nspawn deb12"},
		{name: "nspawn, old, incoming elsewhere", mounts: plainRoot + "9 1 0:24 /systemd/nspawn/propagate/deb12 /run/systemd/nspawn/incoming ro master:5 - tmpfs tmpfs rw\n", want: "systemd-nspawn deb12"},
		{name: "nspawn, manager's file", mounts: plainRoot + tmpfsRun, files: map[string]string{"run/host/container-manager": "systemd-nspawn\n"}, want: "systemd-nspawn"},
		{name: "nspawn, cgroup of the unit", cgroup: `0::/machine.slice/systemd-nspawn@my\x2dct.service/payload/user.slice`, want: "systemd-nspawn my-ct"},
		{name: "nspawn, cgroup of the scope", cgroup: "0::/machine.slice/machine-ct.scope/payload", want: "systemd-nspawn ct"},
		{name: "not nspawn's own process", mounts: plainRoot, cgroup: "0::/machine.slice/machine-ct.scope/supervisor"},
		{name: "nor its other part", mounts: plainRoot, cgroup: `0::/machine.slice/machine-vm.scope/libvirt/emulator`},
		{name: "nor that of one without libvirt", mounts: plainRoot, cgroup: `0::/machine.slice/machine-qemu\x2d1\x2dvm.scope/emulator`},
		{name: "not a virtual machine's process", mounts: plainRoot, cgroup: `0::/machine.slice/machine-qemu\x2d1\x2dvm.scope/libvirt/emulator`},

		// WSL and others
		{name: "WSL 2", mounts: plainRoot, files: map[string]string{"proc/sys/kernel/osrelease": "5.15.153.1-microsoft-standard-WSL2\n", ".dockerenv": ""},
			vars: map[string]string{"WSL_DISTRO_NAME": "Ubuntu-22.04"}, want: "wsl Ubuntu-22.04"},
		{name: "WSL 1", files: map[string]string{"proc/sys/kernel/osrelease": "4.4.0-19041-Microsoft\n"}, want: "wsl"},
		{name: "WSL, a kernel of one's own", files: map[string]string{"proc/sys/kernel/osrelease": "6.6.36-WSL2-STABLE+\n"}, want: "wsl"},
		{name: "Docker in WSL, known by the layers and the mark", mounts: "1 0 8:1 /srv/x/vfs/dir/" + idA + " / rw - ext4 /dev/sda1 rw\n",
			files: map[string]string{"proc/sys/kernel/osrelease": "5.15.153.1-microsoft-standard-WSL2\n", ".dockerenv": ""}, want: "docker"},
		{name: "two marks that name nobody", mounts: plainRoot, files: map[string]string{"proc/sys/kernel/hostname": "1a2b3c4d5e6f\n"}, vars: map[string]string{"container": "oci"}},
		{name: "not any kernel", mounts: plainRoot, files: map[string]string{"proc/sys/kernel/osrelease": "6.1.0-18-cloud-amd64\n"}},
		{name: "a manager that nobody heard of", mounts: plainRoot + tmpfsRun, files: map[string]string{"run/host/container-manager": "frobnicate\n"}, want: "frobnicate"},
		{name: "a manager's name unfit for printing", mounts: plainRoot + tmpfsRun, files: map[string]string{"run/host/container-manager": "\x1b[31mred\n"}, want: "container"},
		{name: "a directory that is called like a layer store", mounts: "1 0 8:1 /srv/vfs/dir/backup / rw - ext4 /dev/sda1 rw\n", files: map[string]string{".dockerenv": ""}},
		{name: "files bound by a user", files: map[string]string{".dockerenv": ""}, mounts: plainRoot +
			"14 1 8:1 /data/" + idA + "/userdata/hostname /etc/hostname rw - ext4 /dev/sda1 rw\n" +
			"15 1 8:1 /io.containerd.x/backup/" + idA + "/hosts /etc/hosts rw - ext4 /dev/sda1 rw\n" +
			"16 1 8:1 /containers/" + idA + "/hosts /etc/resolv.conf rw - ext4 /dev/sda1 rw\n"},
		{name: "a manager's file in a root that is a tmpfs, unpacked from an image", mounts: "1 0 0:2 / / rw - tmpfs rootfs rw\n", files: map[string]string{"run/systemd/container": "lxc\n"}},
		{name: "layers of whoever", mounts: "1 0 8:1 /srv/x/vfs/dir/" + idA + " / rw - ext4 /dev/sda1 rw\n", cgroup: "0::/", want: "container"},
		{name: "nothing at all"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := capture{fsys: fstest.MapFS{}, vars: tt.vars}
			for name, content := range map[string]string{
				"proc/self/mountinfo": tt.mounts, "proc/self/cgroup": tt.cgroup, "proc/1/environ": tt.environ,
			} {
				if content != "" {
					c.put(name, content)
				}
			}
			for name, content := range tt.files {
				c.put(name, content)
			}
			if got := c.detect(); got.String() != tt.want || got.Detected() != (tt.want != "") {
				t.Errorf("got %q, want %q, because of %q", got, tt.want, got.Evidence)
			}
			confidence := Certain
			if tt.want == "" {
				confidence = None
			} else if strings.Contains(tt.want, "likely") {
				confidence = Likely
			}
			if got := c.detect(); got.Confidence != confidence {
				t.Errorf("%v, want %v", got.Confidence, confidence)
			}
		})
	}
}

// The evidence begins with what decided, whatever was read first.
func TestEvidenceOrder(t *testing.T) {
	c := load(t, "podman-rootless/runc-default")
	c.put(".dockerenv", "")
	got := c.detect().Evidence
	for i, want := range []string{
		"/run/.containerenv is mounted from /run/user/4242/", "/etc/hostname is mounted from ", "/etc/hosts is mounted from ",
		"root file system: ext4 /home/plab/", "/.dockerenv exists", "/run/.containerenv exists", "pid 1's environment has container=podman",
		"our environment has container=podman", "the host name 984b2cc4b39c looks like a container's id",
	} {
		if i >= len(got) || !strings.HasPrefix(got[i], want) {
			t.Errorf("line %d of %q, want %q", i, got, want)
		}
	}
	if len(load(t, "docker-rootful/default").detect().Evidence) > 8 {
		t.Error("the hierarchies of cgroup v1 are listed one by one")
	}
}

// A distribution of WSL has nothing to share the pids of.
func TestHostPIDOutsideContainers(t *testing.T) {
	c := load(t, "host")
	if got := c.detect(); got.HostPID {
		t.Errorf("a host: %#v", got)
	}
	c.put("proc/sys/kernel/osrelease", "5.15.153.1-microsoft-standard-WSL2\n")
	if got := c.detect(); got.Runtime != WSL || got.HostPID {
		t.Errorf("WSL: %#v", got)
	}
}

func TestCleanNames(t *testing.T) {
	c := capture{fsys: fstest.MapFS{}}
	c.put("proc/self/cgroup", "0::/lxc.payload.\x1b]0;ab c\u00e9-\xff"+strings.Repeat("d", 100)+"\n")
	got := c.detect()
	if want := "0abc-" + strings.Repeat("d", 59); got.Name != want {
		t.Errorf("name %q, want %q", got.Name, want)
	}
}

// However long the paths and however many the lines, the evidence stays readable.
func TestEvidenceIsShort(t *testing.T) {
	long := strings.Repeat("/long", 1000)
	c := capture{fsys: fstest.MapFS{}}
	var lines strings.Builder
	for i := range 1000 {
		lines.WriteString("0::" + strings.Repeat("/x", i%50) + long[:40*(i%20)] + "/docker/" + idA + "\n")
	}
	c.put("proc/self/cgroup", "0::"+long+"/docker/"+idA+"\n"+lines.String())
	c.put("proc/self/mountinfo", "1 0 8:1 "+long+"/vfs/dir/"+idA+" / rw - ext4 /dev/sda1 rw\n14 1 8:1 "+long+"/containers/"+idA+"/hosts /etc/hosts rw - ext4 /dev/sda1 rw\n")
	got := c.detect()
	if got.String() != "docker 1a2b3c4d5e6f" || len(got.Evidence) > 40 {
		t.Errorf("%q because of %d lines", got, len(got.Evidence))
	}
	for _, e := range got.Evidence {
		if len(e) > 260 {
			t.Errorf("%d bytes: %q", len(e), e)
		}
	}
}
