package stamp

// AskAcross asks this kernel whether the owner that a stamp names is gone, which lived in another pid namespace than ours, but within
// it, so that its processes are seen here under other numbers. Only Dead proves anything, and it cannot become false again. It looks
// through all processes, which takes a while.
//
// If the stamp names a process group, Dead is never answered, but Zombies where no living member was seen: a look can miss one that forks
// meanwhile, see Evidence.Zombies.
//
// # Linux
//
// A process is seen in /proc of every namespace around its own, where its status has its number in each (NSpid). No two
// namespaces that exist have the same inode number, but one has it after another; so an owner is gone if no process has both its
// namespace's number and its pid, or one has them that started at another time. That everybody in that namespace is seen from here is known
// in the initial namespace, which is around all others, and where somebody else of it is seen just now.
//
// # Other systems
//
// There is nothing to ask.
func AskAcross(id Identity, s Stamp) Evidence { return here.askAcross(id, s) }

// Across reports whether a stamp was made under the same running kernel, but in another pid namespace, or one that is not known.
func (id Identity) Across(s Stamp) bool {
	return !id.Boot.IsZero() && id.Boot == s.Boot && !id.SameHost(s)
}
