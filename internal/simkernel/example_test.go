package simkernel_test

import (
	"fmt"

	"github.com/aac6cccc/mkdirlock/internal/simkernel"
)

// A container's process that was left with the host's /proc: what is under its number there is somebody else.
func Example() {
	m := simkernel.New([16]byte{1}, "db1")
	shim, _ := m.Initial().Spawn(simkernel.Spec{})
	inside, _ := m.Initial().Child().Spawn(simkernel.Spec{Parent: shim})

	proc, _ := inside.View(nil).Proc()
	defer proc.Close()
	self, _ := proc.Readlink("self")
	fmt.Println("it is", inside.PID(), "and", self, "in its /proc, which is its own:", inside.Identity().ProcOurs)

	shim.Kill()
	fmt.Println("a zombie is there:", m.Processes()[0].View(nil).Kill(shim.PID()) == nil)
	shim.Reap()
	fmt.Println("then it is not:", m.Processes()[0].View(nil).Kill(shim.PID()))
	// Output:
	// it is 1 and 3 in its /proc, which is its own: false
	// a zombie is there: true
	// then it is not: no such process
}
