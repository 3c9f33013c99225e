package container

import (
	"cmp"
	"slices"
	"strings"
)

// decide weighs the findings. It is pure: the same findings give the same answer.
func decide(f *findings) Info {
	signs := f.sorted()
	var info Info
	for _, s := range signs {
		if !slices.Contains(info.Evidence, s.text) { // one line for the ten hierarchies of cgroup v1
			info.Evidence = append(info.Evidence, s.text)
		}
	}
	info.Runtime, info.Confidence = weigh(signs)

	kube := slices.ContainsFunc(signs, func(s sign) bool { return s.kube && s.proof })
	if kube {
		info.Confidence = Certain
	}
	// The variable alone may be anybody's; inside a container nobody else sets it.
	hint := slices.ContainsFunc(signs, func(s sign) bool { return s.kube })
	if kube || hint && info.Runtime != "" && info.Runtime != WSL {
		info.Orchestrator = Kubernetes
	}

	// CRI-O and Podman share their storage and thus their mounts. The kubelet mounts into CRI-O's only.
	if info.Runtime == Podman && f.kubeMounts {
		info.Runtime = CRIO
	}
	info.ID, info.Name = identify(signs, info.Runtime)
	info.Rootless = info.Detected() && rootless(info.Runtime, f)
	return info
}

// weigh names the runtime out of signs in deciding order.
func weigh(signs []sign) (Runtime, Confidence) {
	// Proofs come first in signs, so the first with a name is the best one.
	best, anonymous := Runtime(""), Runtime("")
	for _, s := range signs {
		switch {
		case s.anonymous():
			if anonymous == "" || anonymous == Other {
				anonymous = s.runtime
			}
		case s.proof && s.runtime != "" && best == "":
			best = s.runtime
		}
	}
	if best != "" && best != WSL {
		return best, Certain
	}
	marks := slices.DeleteFunc(slices.Clone(signs), func(s sign) bool { return s.proof || s.runtime == "" })
	if anonymous != "" {
		for _, m := range marks {
			if m.runtime != Other {
				return m.runtime, Certain
			}
		}
		return anonymous, Certain
	}
	if best != "" {
		return best, Certain // WSL: every container on a Windows machine sees that kernel, so it comes last
	}
	for _, m := range marks {
		// Marks of one rank have one origin: pid 1's environment and ours are inherited from each other.
		agree := func(o sign) bool { return o.rank != m.rank && (o.runtime == m.runtime || o.runtime == Other) }
		if m.runtime != Other && slices.ContainsFunc(marks, agree) {
			return m.runtime, Likely
		}
	}
	return "", None
}

// identify picks the id and the name that belong to the runtime.
func identify(signs []sign, r Runtime) (id, name string) {
	family := func(s sign) bool { return s.runtime == r || r == CRIO && s.runtime == Podman }
	kube := slices.ContainsFunc(signs, func(s sign) bool { return s.kube })
	order := []func(sign) bool{
		func(s sign) bool { return s.rank == rankCgroup && family(s) },
		// Podman's .containerenv before a bare id in the cgroup, which may be an outer container's.
		func(s sign) bool { return s.rank == rankBind && s.runtime == Podman && family(s) },
		func(s sign) bool { return s.rank == rankCgroup && s.runtime == Other && r != "" },
		// The files over /etc come last: they may be another container's, whose network this one shares, and in
		// Kubernetes they are the sandbox's.
		func(s sign) bool { return family(s) && !(s.rank == rankBind && kube) },
		func(s sign) bool { return s.rank == rankHostname && (r == Docker || r == Podman) },
	}
	for _, fits := range order {
		for _, s := range signs {
			if fits(s) {
				id, name = cmp.Or(id, s.id), cmp.Or(name, s.name)
			}
		}
	}
	for _, s := range signs {
		if len(id) == 12 && strings.HasPrefix(s.near, id) { // the host name has but the beginning of it
			id = s.near
		}
		if s.kube {
			name = cmp.Or(name, s.name)
		}
	}
	return id, clean(name)
}
