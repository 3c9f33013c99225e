package archtest

import "testing"

// What package container says of the runtime is for people: the lock's texts get it from internal/world, as they get the name of the
// program, and nothing else that the lock is made of can ask.
var detection = map[string]string{
	"container.Self":   forPeople,
	"container.Detect": forPeople,
	"container.Info":   forPeople,
}

const forPeople = "which container this is, is for people: no decision may depend on it"

func TestDetectionIsForPeople(t *testing.T) {
	told := 0
	for name, src := range files(t, ".go") {
		dir, ships := packageOf(name)
		if !ships || isHelper(dir) {
			continue
		}
		switch violations := called(name, parse(t, name, src), detection); dir {
		case "internal/world", "cmd/dirlock":
			told += len(violations)
		default:
			report(t, violations)
		}
	}
	if told == 0 {
		t.Error("nobody is told at all: this rule holds of nothing")
	}
	f := parse(t, "x.go", `package x
		import "`+module+`/container"
		var a = container.Self().Rootless
		var b = container.Place{}`)
	wantRed(t, called("x.go", f, detection), forPeople)
}
