package netlab

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// Environment is the variable that has tests in the lab run, when it is "1". They skip otherwise.
const Environment = "MKDIRLOCK_NETLAB"

// A Config says how a lab differs from what [Start] gives.
type Config struct {
	// Clients are the names of the clients, one to six.
	Clients []string

	// Lease is the NFS server's lease and grace period, in whole seconds. Zero: 10 s, so that tests need not wait
	// long. A server in the field has 90 s.
	Lease time.Duration

	// Samba is added to the share's section of smb.conf, a line each, such as "kernel share modes = no".
	Samba []string

	// DirectoryDelegations leaves it to newer clients' own default that they ask for delegations of directories. The lab's do not
	// otherwise, as docs/filesystems.md would have it.
	DirectoryDelegations bool

	// Kernel is the command line of another user-mode Linux, whose words have no blanks in them, and Modules the directory that has its
	// modules in one that is called by its version. Both empty: those that KernelVariable says, or Debian's package has.
	Kernel, Modules string
}

// Start boots a server and these clients, and shuts them down when the test ends. The test skips unless the environment asks
// for the lab, and fails where the machine lacks something.
func Start(tb testing.TB, clients ...string) *Lab {
	tb.Helper()
	return Config{Clients: clients}.Start(tb)
}

// needs has the programs of a lab, and the Debian package of each.
var needs = [][2]string{
	{"linux.uml", "user-mode-linux"},
	{"rpc.nfsd", "nfs-kernel-server"},
	{"rpc.statd", "nfs-common"},
	{"rpcbind", "rpcbind"},
	{"smbd", "samba"},
	{"smbpasswd", "samba-common-bin"},
	{"modprobe", "kmod"},
	{"ip", "iproute2"},
	{"mkfs.ext4", "e2fsprogs"},
	{"mount", "mount"},
	{"go", "golang"},
}

// Need skips the test unless the environment asks for the lab, and fails it where the machine lacks something.
func Need(tb testing.TB) {
	tb.Helper()
	Want(tb)
	if os.Getuid() != 0 {
		tb.Fatal("netlab: only root can make a lab's namespaces")
	}
	if f, err := os.OpenFile("/dev/net/tun", os.O_RDWR, 0); err != nil {
		tb.Fatalf("netlab: no network for the hosts: %v", err)
	} else {
		f.Close()
	}
	Programs(tb, needs...)
}

// Want skips the test unless the environment asks for tests that need the packages of a lab.
func Want(tb testing.TB) {
	tb.Helper()
	if os.Getenv(Environment) != "1" {
		tb.Skipf("only with %s=1 in the environment", Environment)
	}
}

// Programs fails the test, with what to install, unless all programs are there: each with the Debian package that has it.
func Programs(tb testing.TB, programs ...[2]string) {
	tb.Helper()
	var missing []string
	for _, p := range programs {
		if _, err := lookPath(p[0]); err != nil && !slices.Contains(missing, p[1]) {
			missing = append(missing, p[1])
		}
	}
	if len(missing) > 0 {
		tb.Fatalf("netlab: first: apt-get install --no-install-recommends %s", strings.Join(missing, " "))
	}
}

// lookPath also finds what is for administrators.
func lookPath(program string) (string, error) {
	for _, dir := range []string{"/usr/sbin/", "/sbin/"} {
		if path, err := exec.LookPath(dir + program); err == nil {
			return path, nil
		}
	}
	return exec.LookPath(program)
}
