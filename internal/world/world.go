// Package world gathers everything that the lock asks of its surroundings: the file system, the clocks, the identity of
// this process and the kernel's word on others. The lock that ships runs on [Real]; the simulator hands it a World of its
// own through [NewProcess] and [Use], so that no test seam stands in the public API.
package world

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"github.com/aac6cccc/mkdirlock/container"
	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/internal/notify"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// A World is what one process sees. Its methods may be called from many goroutines at once.
type World struct {
	FS     fsys.FS
	Clock  Clock
	Slot   uint8 // tells the timers of processes in one simulation apart; 0 in a real process
	Guards int   // how many guards a process may keep open at a time, see fsys.Guard
	Stuck  int   // how many calls may be stuck on one mount; 0: as few as in a real process. Who comes first to the last one is luck

	Self      func() stamp.Identity                            // who this process is
	Ask       func(stamp.Identity, stamp.Stamp) stamp.Evidence // what the kernel says of an owner on the same host
	AskAcross func(stamp.Identity, stamp.Stamp) stamp.Evidence // and of one in a pid namespace within ours; it takes a while
	Lead      func(group int) (uint64, error)                  // the start time of a process group's leader
	UUID      func() uuid.UUID                                 // a name never used before
	Draw      func(limit time.Duration) time.Duration          // a random part of limit, for jitter
	Wall      func() time.Time                                 // the date, for people; no decision reads it
	Tell      func() (program, container string)               // what to write of this process, for people
	Nap       func(d time.Duration)                            // sleeps for less than a timer can; nil: as a timer does

	// Where says who can see what lies at a path, for people; nil: nobody knows. Nobody decides by it who holds a lock.
	Where func(path string) container.Place

	// What the kernel tells unasked, to spare waiters the asking: nil where it does not. A notice is only a reason to look, may
	// come for nothing, and also after stop.
	WatchDir  func(path string, wake func()) (stop func(), err error)                          // entries leave the directory now at path
	WatchExit func(self stamp.Identity, s stamp.Stamp, exited func()) (stop func(), err error) // the end of an owner on the same host
}

// A Clock gives the two clocks that decisions are made on. Neither is the date.
type Clock interface {
	Mono() time.Duration // does not count suspend: for watching others
	Boot() time.Duration // counts suspend: for our own lease
}

// The public package sets these when it is initialised. NewProcess returns the state of one process of w; Use makes a
// *dirlock.Mutex belong to it.
var (
	NewProcess func(w *World) (process any)
	Use        func(mutex, process any)
)

// Real is the world of this process.
func Real() *World {
	var dirs notify.Dirs
	var exits notify.Exits
	return &World{
		FS:        fsys.OS(),
		Clock:     systemClock{},
		Self:      stamp.Self,
		Ask:       stamp.Ask,
		AskAcross: stamp.AskAcross,
		Lead:      stamp.StartOf,
		UUID:      uuid.New,
		Guards:    fsys.SpareDescriptors(),
		Draw:      func(limit time.Duration) time.Duration { return rand.N(max(limit, 1)) },
		Wall:      time.Now,
		Tell: func() (string, string) {
			return filepath.Base(os.Args[0]), container.Self().String()
		},
		Where:    container.Where,
		Nap:      nap,
		WatchDir: dirs.Watch,
		WatchExit: func(self stamp.Identity, s stamp.Stamp, exited func()) (func(), error) {
			lives := func() bool { return stamp.Ask(self, s).Answer == stamp.Alive }
			return exits.Watch(s.PID, lives, exited)
		},
	}
}

type systemClock struct{}

func (systemClock) Mono() time.Duration { return fsys.Mono() }
func (systemClock) Boot() time.Duration { return fsys.Boot() }
