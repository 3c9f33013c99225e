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
	Programs(l.tb, sshfsNeeds...)
	l.sshFiles()
	l.Here.Must("mkdir", "-p", sshDir+"/share", sshDir+"/a", sshDir+"/b")
	l.Here.Must("mount", "-t", "tmpfs", "run", "/run") // where sshd wants a directory
	l.Here.Must("mkdir", "/run/sshd")
	sshd, err := lookPath("sshd") // which wants to know where it is itself
	if err != nil {
		l.tb.Fatal(err)
	}
	// Where the mounts below are not: it would follow a link into them, and wait for itself.
	l.Here.Start(nil, "unshare", "-m", sshd, "-D", "-f", sshDir+"/conf", "-E", sshDir+"/log")
	l.until(20*time.Second, "sshd listens", func() bool {
		log, _ := os.ReadFile(l.path(sshDir + "/log"))
		return strings.Contains(string(log), "Server listening")
	})
	for _, to := range []string{sshDir + "/a", sshDir + "/b"} {
		l.Here.Must(append([]string{"sh", "-c", `exec sshfs "$@" >/dev/null 2>&1`, "sh"}, sshfsWords("127.0.0.1:"+sshDir+"/share", to, options)...)...)
	}
	return sshDir + "/a", sshDir + "/b"
}

var sshfsNeeds = [][2]string{{"sshfs", "sshfs"}, {"sshd", "openssh-server"}, {"ssh-keygen", "openssh-client"}}

const sshDir = wire.Dir + "/ssh"

// sshFiles makes keys, and what sshd is told.
func (l *Lab) sshFiles() {
	l.tb.Helper()
	l.Here.Must("mkdir", "-p", sshDir)
	for _, key := range []string{"user", "host"} {
		l.Here.Must("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", sshDir+"/"+key)
	}
	conf := strings.Join([]string{"Port 2222", "ListenAddress 0.0.0.0", "HostKey " + sshDir + "/host", "AuthorizedKeysFile " + sshDir + "/user.pub",
		"StrictModes no", "UsePAM no", "PermitRootLogin yes", "MaxStartups 100", "Subsystem sftp internal-sftp", ""}, "\n")
	if err := os.WriteFile(l.path(sshDir+"/conf"), []byte(conf), 0o644); err != nil {
		l.tb.Fatal(err)
	}
}

// sshfsWords are what sshfs is told.
func sshfsWords(source, to, options string) []string {
	if options != "" {
		options = "," + options
	}
	return []string{"-p", "2222", "-o", "IdentityFile=" + sshDir + "/user,StrictHostKeyChecking=no,UserKnownHostsFile=/dev/null" + options, source, to}
}
