// Package nettest tests the lock between real hosts, on NFS 4.2, NFS 3 and SMB 3.1.1: what it costs, how soon it changes hands,
// and what becomes of it when hosts and servers go away, in scenes that are written out. What is drawn at random is
// package chaos's part. It has nothing but tests.
//
// The hosts are a lab of package netlab, so that all tests skip unless MKDIRLOCK_NETLAB is "1". With MKDIRLOCK_NETLONG set
// to "1" too, they repeat more often and take the lock's default settings where they else take shorter ones. MKDIRLOCK_NETLAB_KERNEL
// and MKDIRLOCK_NETLAB_MODULES are the program of another user-mode Linux and the directory of its modules.
//
// On each host runs a worker, which is the test binary again. It does what it is told in lines of JSON, holds locks, and tells when
// by its host's clock it got and lost them. A ledger has all that on one clock, and finds two holders.
package nettest
