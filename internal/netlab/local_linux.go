package netlab

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/netlab/wire"
)

// LocalKinds are the kinds that MountLocal knows.
var LocalKinds = []string{"ext4", "xfs", "btrfs", "tmpfs", "overlayfs"}

// MountLocal makes a file system of one of LocalKinds in a file of the lab's, mounts it in the lab's namespaces, where only [Lab.Here]
// has it, and returns where.
func (l *Lab) MountLocal(kind string) string {
	l.tb.Helper()
	path := wire.Dir + "/local/" + kind
	l.Here.Must("mkdir", "-p", path)
	switch kind {
	case "tmpfs":
		l.Here.Must("mount", "-t", "tmpfs", "local", path)
	case "overlayfs":
		// The upper layer's file system must not be the lower one's for this to be what containers have.
		dirs := wire.Dir + "/layers"
		l.Here.Must("mkdir", "-p", dirs+"/lower", dirs+"/upper", dirs+"/work")
		l.Here.Must("mount", "-t", "overlay", "-o", fmt.Sprintf("lowerdir=%[1]s/lower,upperdir=%[1]s/upper,workdir=%[1]s/work", dirs), "local", path)
	default:
		Programs(l.tb, [2]string{"mkfs." + kind, map[string]string{"ext4": "e2fsprogs", "xfs": "xfsprogs", "btrfs": "btrfs-progs"}[kind]})
		image := path + ".image"
		l.Here.Must("truncate", "-s", "512M", image)
		l.Here.Must("mkfs."+kind, "-q", image)
		l.Here.Must("mount", "-t", kind, "-o", "loop", image, path)
	}
	l.Here.Must("chmod", "777", path)
	return path
}

// MountSSHFS mounts one directory twice by sshfs, as two hosts would, from an sshd of the lab's own on its loopback device, and
// returns where.
func (l *Lab) MountSSHFS(options string) (a, b string) {
	l.tb.Helper()
	Programs(l.tb, [2]string{"sshfs", "sshfs"}, [2]string{"sshd", "openssh-server"}, [2]string{"ssh-keygen", "openssh-client"})
	dir := wire.Dir + "/ssh"
	l.Here.Must("mkdir", "-p", dir+"/share", dir+"/a", dir+"/b")
	l.Here.Must("mount", "-t", "tmpfs", "run", "/run") // where sshd wants a directory
	l.Here.Must("mkdir", "/run/sshd")
	for _, key := range []string{"user", "host"} {
		l.Here.Must("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", dir+"/"+key)
	}
	conf := strings.Join([]string{"Port 2222", "ListenAddress 127.0.0.1", "HostKey " + dir + "/host", "AuthorizedKeysFile " + dir + "/user.pub",
		"StrictModes no", "UsePAM no", "PermitRootLogin yes", "MaxStartups 100", "Subsystem sftp internal-sftp", ""}, "\n")
	if err := os.WriteFile(l.path(dir+"/conf"), []byte(conf), 0o644); err != nil {
		l.tb.Fatal(err)
	}
	sshd, err := lookPath("sshd") // which wants to know where it is itself
	if err != nil {
		l.tb.Fatal(err)
	}
	// Where the mounts below are not: it would follow a link into them, and wait for itself.
	l.Here.Start(nil, "unshare", "-m", sshd, "-D", "-f", dir+"/conf", "-E", dir+"/log")
	l.until(20*time.Second, "sshd listens", func() bool {
		log, _ := os.ReadFile(l.path(dir + "/log"))
		return strings.Contains(string(log), "Server listening")
	})
	if options != "" {
		options = "," + options
	}
	for _, to := range []string{dir + "/a", dir + "/b"} {
		l.Here.Must("sh", "-c", `exec sshfs "$@" >/dev/null 2>&1`, "sh", "-p", "2222", "-o",
			"IdentityFile="+dir+"/user,StrictHostKeyChecking=no,UserKnownHostsFile=/dev/null"+options, "127.0.0.1:"+dir+"/share", to)
	}
	return dir + "/a", dir + "/b"
}
