package main

import (
	"context"
	"errors"

	"github.com/aac6cccc/mkdirlock/dirlock"
)

// The exit codes of "dirlock run", besides the command's own. 74 and 75 are EX_IOERR and EX_TEMPFAIL of sysexits.h.
const (
	codeUsage   = 2
	codeFault   = 74
	codeHeld    = 75
	codeLost    = 76
	codeUnknown = 1 // of "dirlock status": something holds the lock or may hold it
)

// exitError ends the program with a code. Without an error there is nothing to say.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// codeOf returns the exit code for what a command returned. What carries no code of its own is about the command line.
func codeOf(err error) int {
	if err == nil {
		return 0
	}
	if e, ok := errors.AsType[*exitError](err); ok {
		return e.code
	}
	return codeUsage
}

// acquireError tells a lock that could not be had in time from one that waiting will not give.
func acquireError(err error) error {
	if errors.Is(err, dirlock.ErrHeld) || errors.Is(err, context.DeadlineExceeded) {
		return &exitError{codeHeld, err}
	}
	return &exitError{codeFault, err}
}
