package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/aac6cccc/mkdirlock/container"
	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// A process that is to die with the thread that started it, or that is looked for by its namespaces, needs the first thread.
func init() { runtime.LockOSThread() }

func run(args []string) error {
	if len(args) == 0 {
		return errors.New("no role")
	}
	switch role, args := args[0], args[1:]; {
	case role == "keep" && len(args) == 1:
		return keep(args[0])
	case role == "init" && len(args) == 2:
		return initLab(args[0], args[1])
	case role == "in" && len(args) > 1:
		return in(args[0], args[1:])
	case role == "first" && len(args) > 2:
		return in(args[0], args[1:len(args)-1])
	case role == "words":
		proctest.Main()
		return fmt.Errorf("no %s in the environment", proctest.Variable)
	case role == "detect":
		return json.NewEncoder(os.Stdout).Encode(container.Self())
	case role == "capture":
		return json.NewEncoder(os.Stdout).Encode(capture())
	case role == "kill":
		return tryKill()
	}
	return fmt.Errorf("not a role: %q", args)
}
