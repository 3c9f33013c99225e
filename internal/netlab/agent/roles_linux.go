package main

import (
	"os"
	"os/exec"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/internal/netlab/wire"
)

func client() error {
	if err := all(
		func() error { return command("/run/modprobe -a nfsv4 nfsv3") },
		func() error { return command("/run/modprobe cifs") },
		statd, // for locks on NFS 3
	); err != nil {
		return err
	}
	const asks = "/sys/module/nfsv4/parameters/directory_delegations"
	if _, err := os.Stat(asks); err != nil || os.Getenv(directoriesVariable) == "true" {
		return nil // older ones never do
	}
	return os.WriteFile(asks, []byte("N"), 0)
}

// statd is for fcntl locks on NFS 3, at both ends.
func statd() error {
	for _, dir := range []string{"/var/lib/nfs/sm", "/var/lib/nfs/sm.bak", "/run/rpcbind"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	if err := command("rpcbind -w"); err != nil {
		return err
	}
	return command("rpc.statd --no-notify")
}

// server exports one directory of an ext4 of its own, by all protocols. What a server must still know after a crash is on
// that disk: which clients there were, users, the secret of the server.
func server(own string) error {
	if err := os.MkdirAll("/mnt/srv", 0o755); err != nil {
		return err
	}
	if err := unix.Mount("/dev/ubda", "/mnt/srv", "ext4", 0, ""); err != nil {
		return err
	}
	for _, dir := range []string{wire.Export, "/mnt/srv/state/nfs/nfsdcld", "/mnt/srv/state/samba/private", "/var/lib/nfs", "/var/lib/samba"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	if err := os.Chmod(wire.Export, 0o777); err != nil {
		return err
	}
	for _, name := range []string{"nfs", "samba"} {
		if err := unix.Mount("/mnt/srv/state/"+name, "/var/lib/"+name, "", unix.MS_BIND, ""); err != nil {
			return err
		}
	}
	return all(nfsd, func() error { return smbd(own) })
}

func nfsd() error {
	if err := command("/run/modprobe nfsd"); err != nil {
		return err
	}
	if err := unix.Mount("nfsd", "/proc/fs/nfsd", "nfsd", 0, ""); err != nil {
		return err
	}
	if err := statd(); err != nil {
		return err
	}
	for _, file := range []string{"/var/lib/nfs/etab", "/var/lib/nfs/rmtab"} {
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			return err
		}
	}
	// Which clients there were, it must know after a crash: they reclaim in the grace period what they had open.
	const pipes = "/run/rpc_pipefs"
	if err := os.MkdirAll(pipes, 0o755); err != nil {
		return err
	}
	if err := unix.Mount("pipes", pipes, "rpc_pipefs", 0, ""); err != nil {
		return err
	}
	lease := os.Getenv(leaseVariable)
	for _, line := range []string{
		"nfsdcld -p " + pipes,
		"exportfs -i -o rw,no_root_squash,no_subtree_check,insecure,sync,fsid=0 *:" + wire.Export,
		"rpc.mountd",
		"rpc.nfsd -G " + lease + " -L " + lease + " 8",
		// Nothing is delegated to anybody in the grace period of NFS 3's locks, which this ends when nobody had one.
		"sm-notify",
	} {
		if err := command(line); err != nil {
			return err
		}
	}
	return nil
}

// smbd has one share, "share", for root with the password "pw".
func smbd(own string) error {
	for _, dir := range []string{"/run/samba", "/var/log/samba", "/var/cache/samba"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	extra, err := os.ReadFile(own + "/samba")
	if err != nil {
		return err
	}
	conf := `[global]
server role = standalone server
server min protocol = SMB2
map to guest = never
disable netbios = yes
load printers = no
printing = bsd
log file = ` + own + `/smbd.log
pid directory = /run/samba
unix extensions = yes
workgroup = LAB
netbios name = LAB
[share]
path = ` + wire.Export + `
read only = no
force user = root
` + string(extra)
	if err := os.WriteFile("/run/smb.conf", []byte(conf), 0o644); err != nil {
		return err
	}
	if _, err := os.Stat("/var/lib/samba/private/passdb.tdb"); err != nil {
		if err := input("smbpasswd -c /run/smb.conf -s -a root", "pw\npw\n"); err != nil {
			return err
		}
	}
	// smbd's own daemons keep what they are given open.
	cmd := exec.Command("smbd", "-D", "-s", "/run/smb.conf")
	return cmd.Run()
}
