//go:build !(linux || windows || darwin || dragonfly || freebsd || netbsd || openbsd)

package notify

import "errors"

type exitSystem struct{}

func (exitSystem) open(int, func()) (handle, error) { return nil, errors.ErrUnsupported }
