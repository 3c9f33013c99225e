package locks

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/containerlab"
	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

func TestMain(m *testing.M) {
	proctest.Main()
	code := m.Run()
	proctest.Clean()
	os.Exit(code)
}

// shared is a lock with a witness in a fresh directory, and the Spec of a container that has the directory under the same name, and a
// host name that others have, too.
func shared(t *testing.T) (proctest.Config, containerlab.Spec) {
	t.Helper()
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	cfg.Witness = filepath.Join(dir, "witness")
	return cfg, containerlab.Spec{Hostname: "worker", Volumes: []string{dir + ":" + dir}}
}

// A side is where a process runs.
type side struct {
	name  string
	start func(t *testing.T, lab *containerlab.Lab, cfg proctest.Config, spec containerlab.Spec) *proctest.Proc
}

// in is a container of an engine, with changes to what it has in common with others.
func in(kind containerlab.Kind, changes ...func(*containerlab.Spec)) side {
	return side{kind.String(), func(t *testing.T, lab *containerlab.Lab, cfg proctest.Config, spec containerlab.Spec) *proctest.Proc {
		for _, change := range changes {
			change(&spec)
		}
		return lab.Engine(kind).Words(cfg, spec).Proc(t, cfg)
	}}
}

// sandbox is a container of a runtime without an engine.
func sandbox(runtime string) side {
	return side{runtime, func(t *testing.T, lab *containerlab.Lab, cfg proctest.Config, spec containerlab.Spec) *proctest.Proc {
		return lab.Words(t, cfg, runtime, spec)
	}}
}

// The machine itself, and the host of the lab's containers that have their host's pids.
var (
	machine = side{"machine", func(t *testing.T, _ *containerlab.Lab, cfg proctest.Config, _ containerlab.Spec) *proctest.Proc {
		return proctest.Start(t, cfg)
	}}
	here = side{"host", func(t *testing.T, lab *containerlab.Lab, cfg proctest.Config, _ containerlab.Spec) *proctest.Proc {
		return lab.Here(t, cfg)
	}}
)

func network(s *containerlab.Spec) { s.Network = "host" }
func uts(s *containerlab.Spec)     { s.UTS, s.Hostname = "host", "" }
func pids(s *containerlab.Spec)    { s.PID = "host" }
