//go:build !linux

package proctest

import "errors"

// Kill ends the child without warning. It is not an error if it is gone already.
func (p *Proc) Kill() { p.cmd.Process.Kill() }

func guard(string) error { return errors.ErrUnsupported }
