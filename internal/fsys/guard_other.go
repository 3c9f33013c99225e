//go:build !linux

package fsys

import (
	"errors"
	"io"
)

// Elsewhere there are no pid namespaces for a guard to be seen across.

func (d *dir) Guard(name string) (io.Closer, error) { return nil, d.unguarded("guard", name) }

func (d *dir) Probe(name string) (io.Closer, error) { return nil, d.unguarded("probe", name) }

func (d *dir) unguarded(op, name string) error {
	if err := d.open(op, name); err != nil {
		return err
	}
	return pathError(op, d.path, errors.ErrUnsupported)
}

// SpareDescriptors is how many guards this process may keep open: none.
func SpareDescriptors() int { return 0 }
