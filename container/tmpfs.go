package container

import (
	"slices"
	"time"
)

// A tmpfs that a runtime made for this container (--tmpfs) and one of the machine that was bound into it look alike in mountinfo.
// They differ in when they were made. The runtime makes /dev, a tmpfs too, in the same go as the others, in an order of its own; what
// it was given was there before the container's first process.
const (
	// tick is how coarse the start of a process is, and the clock that files are stamped by at worst.
	tick = 10 * time.Millisecond
	// together is how much older than /dev it may be to have been made along with it: a runtime is not even started in that time.
	together = 5 * time.Millisecond
	// setup is how long the first process mostly takes until it makes /dev. If it was not so here, the date was set meanwhile.
	setup = 250 * time.Millisecond
	// apart is how much older than /dev nothing is that was made along with it.
	apart = 2 * time.Second
)

// making says how a tmpfs came to be.
type making uint8

const (
	unclear making = iota
	here           // for this container
	outside        // before it, so for others, too
)

func (v view) onTmpfs(at row) Place {
	whole := at
	if at.root != "/" && !sandboxRoot(at) {
		i := slices.IndexFunc(v.table, func(r row) bool { return r.dev == at.dev && (r.root == "/" || sandboxRoot(r)) })
		if i < 0 {
			return Place{Shared, describe("%s is the directory %s of a tmpfs outside of this container", at.point, at.root)}
		}
		whole = v.table[i]
	}
	made, shm := v.made(whole), whole.point == "/dev/shm"
	switch {
	case made == here:
		return Place{OwnTmpfs, describe("%s is a tmpfs that was made for this container", at.point)}
	case shm && !slices.Contains(v.info.Namespaces, "ipc"):
		return Place{Shared, describe("%s is the machine's", at.point)}
	case v.info.Orchestrator == Kubernetes && (shm || made == outside):
		return Place{Shared, describe("%s is a tmpfs, which the containers of this pod see, and other pods do not", at.point)}
	case shm: // also of one container that others may have joined, or not
		return Place{Unknown, describe("%s belongs to an IPC namespace, and which containers share that cannot be told", at.point)}
	case made == outside:
		return Place{Shared, describe("%s is a tmpfs that was there before this container", at.point)}
	}
	return Place{Unknown, describe("%s is a tmpfs, and whether it was made for this container alone cannot be told", at.point)}
}

func sandboxRoot(r row) bool { return r.point == "/" && r.root == "/newroot" }

// made compares when a tmpfs was made with what is known of the container's beginning.
func (v view) made(r row) making {
	if sandboxRoot(r) {
		return here
	}
	first, ok := v.firstMade()
	if !ok || r.fstype != "tmpfs" {
		return unclear
	}
	if r.id == first.id {
		return here
	}
	at, ok := v.born(r)
	dev, ok2 := v.born(first)
	switch {
	case !ok || !ok2:
		return unclear
	case r.slave && !at.Before(dev): // it may have been mounted outside since, and have appeared here
		return unclear
	case dev.Sub(at) <= together:
		return here
	case dev.Sub(at) > apart:
		return outside
	}
	start, ok := v.start()
	if took := dev.Sub(start); !ok || took < -tick || took > setup {
		return unclear
	}
	switch {
	case at.Before(start.Add(-tick)):
		return outside
	case at.After(start.Add(tick)):
		return here
	}
	return unclear
}

// firstMade is a tmpfs that certainly was made for this container.
func (v view) firstMade() (row, bool) {
	if root, ok := v.table.root(); ok && sandboxRoot(root) {
		return root, true
	}
	dev, ok := v.table.find("/dev")
	return dev, ok && dev.point == "/dev" && dev.fstype == "tmpfs" && dev.root == "/"
}
