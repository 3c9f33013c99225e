//go:build unix && !linux

package runner

// dieWithParent does nothing where the system cannot: the group in the stamp is what the protection rests on.
func dieWithParent() {}
