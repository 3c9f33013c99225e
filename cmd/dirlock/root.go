package main

import (
	"errors"
	"runtime/debug"

	"github.com/spf13/cobra"
)

const rootLong = `A lock is a directory: whoever makes it has the lock. It works between processes, containers and
hosts that share a directory, over NFS and SMB too, and is taken over only from holders that are gone.

  dirlock run /shared/jobs.lock -- ./nightly-report   run a command while holding the lock
  dirlock status /shared/jobs.lock                    see who holds it`

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "dirlock",
		Short:         "Run a command under a lock that is a directory",
		Long:          rootLong,
		Version:       version(),
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(*cobra.Command, []string) error {
			return errors.New(`say what to do: "run" or "status"; "dirlock help" tells more`)
		},
	}
	root.AddCommand(newRun(), newStatus())
	return root
}

// version is the module's, as the Go command has recorded it.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(unknown)"
}

// lockPath completes the first argument, which is a directory.
func lockPath(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	return nil, cobra.ShellCompDirectiveDefault
}
