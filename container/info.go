package container

import (
	"slices"
	"strings"
)

// Runtime names what started a container. It is lower case and fit for printing; "" means none was recognised. Besides the
// constants it may hold the name that a container manager of systemd's interface gave itself, such as "flatpak".
type Runtime string

// The runtimes that are told apart.
const (
	Docker     Runtime = "docker"
	Podman     Runtime = "podman"
	Containerd Runtime = "containerd" // also nerdctl's, and most Kubernetes nodes'
	CRIO       Runtime = "cri-o"
	LXC        Runtime = "lxc" // also LXD's, Incus's and libvirt's
	Nspawn     Runtime = "systemd-nspawn"
	WSL        Runtime = "wsl"       // a distribution of the Windows Subsystem for Linux
	Other      Runtime = "container" // a container, but nothing names its runtime
)

// Kubernetes is the only [Info.Orchestrator] that is recognised.
const Kubernetes = "kubernetes"

// Confidence says how good the evidence is.
type Confidence uint8

const (
	None    Confidence = iota // no container, or only signs that may be left over
	Likely                    // two marks of different origin agree, but each could be left over
	Certain                   // at least one sign that the runtime made from outside
)

// String returns "none", "likely" or "certain".
func (c Confidence) String() string {
	switch c {
	case Likely:
		return "likely"
	case Certain:
		return "certain"
	}
	return "none"
}

// Info is what was found. The zero value means: no container was recognised, which is not a proof that there is none.
type Info struct {
	Runtime Runtime // "" when none was recognised

	// ID is the container's id as its runtime knows it, mostly 64 hex digits, or the first 12 where only the host name
	// gave it away; "" when unknown. Of a Docker container in a private cgroup namespace that was started with
	// --network container:X it is X's id, whose files such a container has mounted.
	ID string

	// Name is what people call it: the container's name (Podman --privileged, Kubernetes), the machine's (LXC, nspawn), the
	// distribution's (WSL). "" when unknown. Only letters, digits and ._@:/+- are kept of it, at most 64.
	Name string

	// Rootless is true when the runtime itself was started by an ordinary user. A user namespace alone does not count: the
	// root user may remap ids, too.
	Rootless bool

	// HostPID is true in a container that is in the machine's initial pid namespace (--pid=host, hostPID).
	HostPID bool

	// Orchestrator is [Kubernetes] or "".
	Orchestrator string

	// Namespaces are the kinds, out of pid, user, uts, ipc, cgroup and time, in which this process is not in the initial
	// namespace of its kernel. It is all there is to say of bubblewrap or unshare, and it is filled in outside containers, too.
	Namespaces []string

	// Evidence are the signs found, the deciding ones first, a line of text each. Marks that prove nothing are listed, too:
	// a host with a left-over /.dockerenv has an empty Runtime and this one line.
	Evidence []string

	Confidence Confidence
}

// Detected reports whether a container was recognised, likely or certain.
func (i Info) Detected() bool { return i.Runtime != "" || i.Orchestrator != "" }

// String returns a short text for people, such as "podman 984b2cc4b39c (rootless)" or "containerd web 3f2a9c1b04de
// (kubernetes)"; "" when no container was recognised.
func (i Info) String() string {
	if !i.Detected() {
		return ""
	}
	parts := []string{string(i.Runtime), i.Name, short(i.ID)}
	var notes []string
	if i.Runtime == "" {
		parts[0] = i.Orchestrator
	} else if i.Orchestrator != "" {
		notes = append(notes, i.Orchestrator)
	}
	if i.Rootless {
		notes = append(notes, "rootless")
	}
	if i.HostPID {
		notes = append(notes, "host's pids")
	}
	if i.Confidence == Likely {
		notes = append(notes, "likely")
	}
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	if len(notes) > 0 {
		parts = append(parts, "("+strings.Join(notes, ", ")+")")
	}
	return strings.Join(parts, " ")
}

// short cuts an id to the 12 digits that Docker and Podman show.
func short(id string) string {
	return id[:min(len(id), 12)]
}
