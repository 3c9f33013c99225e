// Package containerlab is a lab of real containers on one machine, for tests of what happens between them: Docker Engine with a daemon
// of the lab's own, Podman as root and as an ordinary user, systemd-nspawn, LXC, bubblewrap and plain unshare. It needs root and
// Debian's packages, which it asks for by name when they are missing, and no registry: the only image is made of this machine's busybox
// and a program of the repository's, which serves the words of package proctest.
//
//	lab := containerlab.Start(t)
//	volume := containerlab.Spec{Hostname: "worker", Volumes: []string{dir + ":/vol"}}
//	a := lab.Engine(containerlab.Docker).Words(cfg, volume)   // a container
//	p := a.Proc(t, cfg)                                       // p.Want("ACQ", "acquire"), as of any child
//	b := lab.Words(t, cfg, "nspawn", volume)                  // the same in one that has no engine
//	a.Kill()
//	p = a.Proc(t, cfg)                                        // the same container again
//
// All of a lab lives in namespaces of its own (pids, mounts, network, cgroups), with a directory of its own where daemons keep what they keep,
// under /var/lib, /run, /etc and /home. A process beside it ends it when the test's process ends, however that ends, and takes
// the cgroups and the directory away: nothing is left behind, nothing of the machine is changed, and labs can run side by side.
//
// Without MKDIRLOCK_CONTAINERS=1 in the environment, a test that starts a lab skips. With it, what is missing fails the test.
package containerlab
