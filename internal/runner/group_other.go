//go:build unix && !linux

package runner

// describe has no names to give.
func (g group) describe() string { return "" }
