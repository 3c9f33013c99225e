package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/aac6cccc/mkdirlock/dirlock"
	"github.com/aac6cccc/mkdirlock/internal/runner"
)

const runLong = `Takes the lock PATH, runs CMD, and releases the lock when CMD has ended.

CMD is found along PATH of the environment before the lock is taken. It runs in a process group of its
own, has the terminal as it would have without dirlock, and gets the signals that are sent to dirlock.
The lock is kept until every process of that group has ended, and others see it as held even if dirlock
itself is killed. A process that leaves the group (setsid, the jobs of an interactive shell) leaves this
protection. To stop CMD for a while, use the terminal's key or send SIGTSTP to dirlock, never SIGSTOP; then SIGCONT.

Exit codes:
  that of CMD   CMD ended by itself; 128+N if a signal ended it, or dirlock ends by that signal as well
  2             the command line or the environment is wrong; nothing was done
  74            the lock cannot be taken however long one waits: no parent directory, no permission, a
                read-only or full file system, PATH is something else than a lock, or --require-shared
                refuses it
  75            the lock could not be had in time; standard error says who holds it
  76            the lock was lost while CMD ran. CMD got SIGTERM at once, and SIGKILL after a sixth of --stale
  126, 127      CMD cannot be executed, is not found; the lock was not taken
In all these cases but the first, standard error has a line that begins with "dirlock: ".

In a container a lock excludes others only on a mount that they have too. On the container's own writable
layer, a tmpfs of its own or an anonymous volume, nobody else sees it: there is a warning on standard error
then, or with --require-shared an error, also where it cannot be told. That others do have the same mount is
not looked at. Outside of containers --require-shared refuses nothing.

Environment:
  DIRLOCK_WAIT, DIRLOCK_STALE, DIRLOCK_HEARTBEAT   as the flags, which come first

All who share a lock should agree on --stale; of two that differ, the longer counts.`

const runExample = `  dirlock run /shared/jobs.lock -- ./nightly-report --all
  dirlock run --wait 0 /shared/jobs.lock -- make install      # now or never
  dirlock run --wait -1 /shared/jobs.lock -- sh -c 'a && b'   # wait as long as it takes
  DIRLOCK_WAIT=5m dirlock run --note "release 7" /shared/jobs.lock -- ./deploy`

const longestNote = 1024

type runOptions struct {
	settings
	note   string
	shared bool // or not at all
	path   string
	argv   []string
}

func newRun() *cobra.Command {
	o := &runOptions{settings: defaults()}
	cmd := &cobra.Command{
		Use:                   "run [--wait D] [--stale D] [--heartbeat D] [--note S] [--require-shared] PATH -- CMD [ARG...]",
		Short:                 "Run a command while holding a lock",
		Long:                  runLong,
		Example:               runExample,
		DisableFlagsInUseLine: true,
		ValidArgsFunction:     lockPath,
		Args:                  func(cmd *cobra.Command, args []string) error { return o.arguments(cmd.ArgsLenAtDash(), args) },
		RunE:                  func(cmd *cobra.Command, _ []string) error { return o.run(cmd.ErrOrStderr()) },
	}
	o.flags(cmd.Flags())
	cmd.Flags().BoolVar(&o.shared, "require-shared", false, "refuse a lock that this container only may see")
	cmd.Flags().StringVar(&o.note, "note", "", "`S` is for people who ask who holds the lock (default: CMD's name)")
	return cmd
}

// arguments takes the command line apart; dash is how many arguments stand before "--", negative if there is none.
func (o *runOptions) arguments(dash int, args []string) error {
	switch {
	case len(args) == 0 || dash == 0 || args[0] == "":
		return errors.New("run: PATH is missing: dirlock run PATH -- CMD [ARG...]")
	case dash < 0 && len(args) > 1, dash > 1:
		return fmt.Errorf(`run: unexpected argument %q: put "--" between PATH and CMD`, args[1])
	case len(args) == 1:
		return errors.New("run: CMD is missing: dirlock run PATH -- CMD [ARG...]")
	}
	o.path, o.argv = args[0], args[1:]
	if o.note == "" {
		o.note = filepath.Base(o.argv[0])
		o.note = o.note[:min(len(o.note), longestNote)]
	}
	if len(o.note) > longestNote {
		return fmt.Errorf("run: --note has %d bytes, more than %d", len(o.note), longestNote)
	}
	return o.complete()
}

// run does not return when the command has had its way: it ends as the command did.
func (o *runOptions) run(stderr io.Writer) error {
	exe, err := runner.Resolve(o.argv[0])
	if err != nil {
		return commandError(err)
	}
	p, err := runner.Start(runner.Command{
		Path:  exe,
		Args:  o.argv,
		Grace: o.stale.value / 6,
		Gone:  newCensus().gone,
		Say:   func(format string, args ...any) { complain(stderr, fmt.Errorf(format, args...)) },
	})
	if err != nil {
		return commandError(err)
	}
	lock, err := o.acquire(p, stderr)
	if err != nil {
		p.Abandon()
		return acquireError(err)
	}
	out := p.Run(lock)
	err = release(p, lock)
	switch {
	case out.Lost != nil:
		return &exitError{code: codeLost} // which was said when it happened
	case errors.Is(err, dirlock.ErrLost):
		return &exitError{codeLost, err}
	case out.Err != nil:
		return commandError(out.Err)
	case err != nil:
		complain(stderr, err) // what the command did, it did under the lock
	}
	runner.Exit(out)
	return nil
}

// acquire takes the lock for the command's group. A signal ends the wait, and then this process, with nothing left behind.
func (o *runOptions) acquire(p *runner.Process, stderr io.Writer) (*dirlock.Lock, error) {
	m := &dirlock.Mutex{
		Path:      o.path,
		Wait:      o.wait.value,
		Stale:     o.stale.value,
		Heartbeat: o.heartbeat.value,
		Note:      o.note,
		Group:     p.Group(),

		RequireShared: o.shared,
		Logger:        slog.New(notShared{stderr}),
	}
	ctx, stop := p.Interruptible(context.Background())
	take := m.TryAcquire
	if o.wait.value != 0 {
		take = func() (*dirlock.Lock, error) { return m.Acquire(ctx) }
	}
	lock, err := take()
	if sig := stop(); sig != 0 {
		if err == nil {
			_ = release(p, lock) // it would be mended by others
		}
		p.Abandon()
		runner.Die(sig)
	}
	return lock, err
}

// release gives the lock back. A second signal meanwhile ends this process: the file system may not answer.
func release(p *runner.Process, lock *dirlock.Lock) error {
	_, stop := p.Interruptible(context.Background())
	defer stop()
	return lock.Release()
}

// commandError is for a command that cannot be run.
func commandError(err error) error {
	if e, ok := errors.AsType[*runner.ExecError](err); ok {
		return &exitError{e.Code, err}
	}
	return &exitError{codeFault, err}
}
