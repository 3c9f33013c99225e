// Package netlab is a lab of real Linux kernels on one machine, for tests of what happens between hosts: a file server and
// its clients, each with its own kernel, boot id, pids, clock and network, which mount one directory over NFS 4.2, NFS 3 and
// SMB 3.1.1. The kernels are user-mode Linux, as Debian has it; a lab of three is there in less than ten seconds, and needs
// root, /dev/net/tun and a few packages, which it asks for by name when they are missing.
//
//	lab := netlab.Start(t, "a", "b")
//	a, b := lab.Client("a"), lab.Client("b")
//	dir := a.Mount("nfs4", "")                  // the same files as lab.Share on lab.Server
//	worker := lab.Build("./testdata/worker")    // the same path on every host
//	p := a.Start(nil, worker, dir)              // p.Stdin, p.Stdout, p.Signal, p.Wait
//	a.Cut()                                     // off the network, where p goes on; a.Heal()
//
// The root of each host is the machine's own, read-only, with memory over /tmp, /run, /mnt, /root and what is variable: what
// is installed here is installed there, and a test binary runs there as it is, given to [Lab.Push]. What the hosts are told
// goes over a network of its own, which neither [Host.Cut] nor [Host.Netem] touches.
//
// All of a lab lives in namespaces of its own (pids, network, mounts), whose first process ends when the test's process does,
// however that ends: nothing is left behind, and labs can run side by side.
//
// Without MKDIRLOCK_NETLAB=1 in the environment, a test that starts a lab skips. With it, what is missing fails the test.
package netlab
