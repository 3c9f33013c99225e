package dirlock_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/aac6cccc/mkdirlock/dirlock"
)

// scratch is a directory for the examples; a real lock lies in one that several hosts share.
func scratch() (path string, remove func()) {
	dir, err := os.MkdirTemp("", "dirlock-example")
	if err != nil {
		panic(err)
	}
	return filepath.Join(dir, "jobs.lock"), func() { os.RemoveAll(dir) }
}

// Do holds the lock while the function runs, and ends the function's context if the lock is lost.
func ExampleMutex_Do() {
	path, remove := scratch()
	defer remove()

	err := dirlock.At(path).Do(context.Background(), func(ctx context.Context) error {
		fmt.Println("working")
		return ctx.Err() // a real job looks at ctx as it goes
	})
	fmt.Println(err)
	// Output:
	// working
	// <nil>
}

// A lock that is held by somebody else says by whom.
func ExampleMutex_TryAcquire() {
	path, remove := scratch()
	defer remove()

	first, err := dirlock.At(path).Acquire(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = dirlock.At(path).TryAcquire()
	if held, ok := errors.AsType[*dirlock.HeldError](err); ok {
		fmt.Println("held, by this process:", held.Holder.PID == os.Getpid())
	}
	fmt.Println(first.Release())
	// Output:
	// held, by this process: true
	// <nil>
}

// Inspect looks and changes nothing.
func ExampleMutex_Inspect() {
	path, remove := scratch()
	defer remove()

	m := &dirlock.Mutex{Path: path, Note: "nightly report"}
	lock, err := m.Acquire(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := m.Inspect()
	fmt.Println(report.State, report.Holder.Note, err)
	lock.Release()
	report, err = m.Inspect()
	fmt.Println(report.State, err)
	// Output:
	// held nightly report <nil>
	// free <nil>
}

// Whoever holds a lock over a network watches its context.
func ExampleLock_Context() {
	path, remove := scratch()
	defer remove()

	lock, err := dirlock.At(path).Acquire(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	select {
	case <-lock.Context().Done():
		fmt.Println("lost:", context.Cause(lock.Context()))
	default:
		fmt.Println("still ours:", lock.Check() == nil)
	}
	lock.Release()
	fmt.Println(context.Cause(lock.Context()))
	// Output:
	// still ours: true
	// dirlock: released
}
