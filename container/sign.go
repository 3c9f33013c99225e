package container

import (
	"cmp"
	"slices"
)

// rank orders the signs: where two disagree, the lower one decides. Containers nest, and what hangs in our own mount namespace
// was made for the innermost one, whereas a cgroup path may be inherited from an outer one.
type rank uint8

const (
	rankBind     rank = iota // a file of the runtime's state directory, mounted into ours
	rankCgroup               // our own cgroup path
	rankManager              // pid 1's environment, /run/systemd/container and the like
	rankDocker               // /.dockerenv
	rankPodman               // /run/.containerenv: behind Docker's, since `podman --rootfs` leaves one in a tree that images are made of
	rankEnv                  // container= in our own environment
	rankHostname             // the host name looks like an id
	rankRoot                 // the root file system is out of a layer store
	rankLxcfs                // lxcfs over files of /proc: LXC does that, and now and then somebody for Docker
	rankKernel               // the kernel's release
)

// sign is one piece of evidence.
type sign struct {
	runtime  Runtime // "" when it speaks of Kubernetes only
	kube     bool
	proof    bool // made by the runtime from outside: cannot be left over in an image, nor set by a user
	rank     rank
	id, name string
	near     string // an id that is the container's or, in a pod, that of the pod's own container
	text     string // for people
}

// anonymous says that the sign proves a layer store or a container but leaves open whose: containerd's snapshots are Docker's, too.
func (s sign) anonymous() bool {
	return s.proof && (s.runtime == Other || s.rank == rankRoot && s.runtime == Containerd)
}

// findings is everything that was read.
type findings struct {
	signs []sign

	kubeMounts     bool // the kubelet mounted something into this very mount namespace
	rootlessMounts bool // the runtime's files are in a user's home or run directory
	env            containerenv
	ids            []idmap
}

func (f *findings) add(s ...sign) { f.signs = append(f.signs, s...) }

// sorted returns the signs with the deciding ones first.
func (f *findings) sorted() []sign {
	return slices.SortedStableFunc(slices.Values(f.signs), func(a, b sign) int {
		if a.proof != b.proof {
			if a.proof {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.rank, b.rank)
	})
}
