package dirlock

import (
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/aac6cccc/mkdirlock/heartbeat"
	"github.com/aac6cccc/mkdirlock/internal/world"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// A process is what all locks of one process share. There is one of it outside simulations.
type process struct {
	*world.World
	beats *heartbeat.Scheduler
	lines lines

	paths, mounts slots  // who may talk to a file system
	places        places // where locks lie

	mu       sync.Mutex           // never held across a call to the file system
	own      map[uuid.UUID]string // stamps held or being acquired here, and the path of each
	strays   map[stray]*strayState
	sweepers map[string]bool   // mounts on which a goroutine is retrying strays
	memories map[string]memory // by path
	forgot   time.Duration     // Mono of the last time that old ones were
	moving   map[mountKey]bool // those on which a heartbeat was seen to move the mtime
	guards   int               // descriptors that are reserved for guards
	noGuards bool              // they cannot be had
}

var thisProcess = sync.OnceValue(func() *process { return newProcess(world.Real()) })

func init() {
	world.NewProcess = func(w *world.World) any { return newProcess(w) }
	world.Use = func(mutex, proc any) { mutex.(*Mutex).process = proc.(*process) }
}

func newProcess(w *world.World) *process {
	return &process{
		World:    w,
		beats:    heartbeat.New(w.Clock, heartbeat.Slot(w.Slot)),
		lines:    lines{m: map[string][]*line{}},
		paths:    slots{m: map[string]*slot{}},
		mounts:   slots{m: map[string]*slot{}},
		sweepers: map[string]bool{},
		own:      map[uuid.UUID]string{},
		strays:   map[stray]*strayState{},
		memories: map[string]memory{},
		moving:   map[mountKey]bool{},
	}
}

// claim notes that the stamp with this uuid is being acquired or is held here, before it can appear on disk.
func (p *process) claim(id uuid.UUID, path string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.own[id] = path
}

func (p *process) disown(id uuid.UUID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.own, id)
}

// owns reports whether the stamp is held or being acquired by this process. The uuid is the only test of ownership: the
// same pid on another host, or in an earlier life of a container, is somebody else. The path is that by which it was acquired:
// there may be others to the same directory.
func (p *process) owns(id uuid.UUID) (path string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	path, ok = p.own[id]
	return path, ok
}

// wasSelf reports whether the stamp names this very process, so that neither the kernel's "alive" nor its silence means
// anything about it.
func wasSelf(id stamp.Identity, s stamp.Stamp) bool {
	return id.SameHost(s) && id.PID == s.PID && id.Start != 0 && id.Start == s.Start
}
