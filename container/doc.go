// Package container tells, for people, which container runtime this process runs under: Docker, Podman (rootful or rootless),
// containerd, CRI-O, Kubernetes, LXC, systemd-nspawn, WSL.
//
// # For people only
//
// NO LOCK DECISION DEPENDS ON THIS PACKAGE, and none may. Every sign that it reads can be missing (cgroup v2 with a private
// namespace shows "0::/", many runtimes leave no mark file), left over (a virtual machine made from a Docker image has
// /.dockerenv), or made up by whoever wrote the environment. What decides whether two processes can ask one kernel about each
// other is the boot id and the pid namespace's id, which package stamp reads from the kernel. The answer of this package stands
// in a lock's content and in messages, so that somebody who has to repair a lock knows where to look.
//
// # How it decides
//
// A sign is either a proof or a mark. A proof is what the runtime does from outside and what no image can carry: a file of the
// runtime's state directory bound over /etc/hostname, a cgroup path with a container's id in it, a root file system out of a
// layer store, a manager's file on a tmpfs. A mark is a file or a variable that may be left over: /.dockerenv, an unmounted
// /run/.containerenv, container= in the environment. One mark alone proves nothing and is only listed in [Info.Evidence];
// a mark beside an anonymous proof names the runtime, and two marks of different origin that agree are reported as [Likely].
// Where several proofs disagree, since containers nest, the one that speaks of this process's own mounts wins: that is the innermost.
//
// Bubblewrap, unshare and other sandboxes without a runtime leave no sign at all; they are not reported as containers. What the
// kernel says of them stands in [Info.Namespaces].
//
// # Platforms
//
// [Detect] works on any [fs.FS] and thus on every platform. [Self] answers on Linux and is the empty Info elsewhere.
package container
