package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/aac6cccc/mkdirlock/dirlock"
)

const statusLong = `Tells who holds the lock PATH, and changes nothing. Ages are by this host's clock. In a container it also
tells on what kind of mount PATH lies, and warns if nobody else can see it.

States:
  free        nobody holds it
  held        the holder's heartbeat is fresh
  suspect     the heartbeat is old, but the holder is not provably dead
  stale       the holder is dead as its kernel says, or was silent for long enough to be taken over
  unstamped   a directory without a holder's stamp: being taken just now, a script's, or left by a crash
  notalock    PATH is something else

Exit codes:
  0   free
  1   something holds the lock or may hold it: held, suspect, stale, unstamped
  2   an error, or not a lock

Environment:
  DIRLOCK_STALE, DIRLOCK_HEARTBEAT   as for "dirlock run": how long is too long

With --json, standard output is one object:
  version                 1
  path, state, reason     strings; the reason is for people
  vacant                  whether it is free although the directory is there
  holder                  null, or token, pid, host, boot, pidns, since (null if unknown), container, program, note
  heartbeat_age_seconds   a number, null if unknown
  verdict                 what this one look says: "none" (nobody to judge), "wait", "takeover"
  entries                 what else lies in the directory
  place                   null outside of containers, or visibility and evidence: who can see what lies at PATH, as far as
                          this container can tell: "shared", "own-layer", "own-tmpfs", "own-volume" (an anonymous one),
                          "read-only-root", "unknown"`

const statusExample = `  dirlock status /shared/jobs.lock
  dirlock status --json /shared/jobs.lock | jq -r .holder.host
  until dirlock status /shared/jobs.lock >/dev/null; do sleep 1; done`

func newStatus() *cobra.Command {
	s, asJSON := defaults(), false
	cmd := &cobra.Command{
		Use:                   "status [--json] PATH",
		Short:                 "Tell who holds a lock",
		Long:                  statusLong,
		Example:               statusExample,
		DisableFlagsInUseLine: true,
		ValidArgsFunction:     lockPath,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 || args[0] == "":
				return errors.New("status: PATH is missing: dirlock status [--json] PATH")
			case len(args) > 1:
				return fmt.Errorf("status: unexpected argument %q", args[1])
			}
			s.wait.variable = "" // it is a bound for taking the lock
			return s.complete()
		},
		RunE: func(cmd *cobra.Command, args []string) error { return status(cmd.OutOrStdout(), s, args[0], asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func status(w io.Writer, s settings, path string, asJSON bool) error {
	m := &dirlock.Mutex{Path: path, Stale: s.stale.value, Heartbeat: s.heartbeat.value}
	r, err := m.Inspect()
	if err != nil {
		return &exitError{codeUsage, err}
	}
	if asJSON {
		err = json.NewEncoder(w).Encode(newObject(r))
	} else {
		_, err = io.WriteString(w, describe(r))
	}
	if err != nil {
		return &exitError{codeUsage, err}
	}
	switch r.State {
	case dirlock.StateFree:
		return nil
	case dirlock.StateNotALock:
		return &exitError{code: codeUsage}
	default:
		return &exitError{code: codeUnknown}
	}
}
