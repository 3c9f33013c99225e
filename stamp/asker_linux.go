package stamp

import "github.com/aac6cccc/mkdirlock/internal/kernel"

// asker asks a kernel about processes.
type asker struct{ sys kernel.System }

var here = asker{kernel.Real()}

func init() {
	kernel.Ask = func(sys kernel.System, id, s any) any { return asker{sys}.ask(id.(Identity), s.(Stamp)) }
	kernel.AskAcross = func(sys kernel.System, id, s any) any { return asker{sys}.askAcross(id.(Identity), s.(Stamp)) }
	kernel.Identify = func(sys kernel.System, pid int) any {
		id, _ := asker{sys}.identify(pid)
		return id
	}
	kernel.StartOf = func(sys kernel.System, id any, pid int) (uint64, error) {
		return asker{sys}.startOf(id.(Identity), pid)
	}
}

func (a asker) kill(pid int) error { return a.sys.Kill(pid) }
