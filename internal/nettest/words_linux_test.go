package nettest

import "time"

// An order is what a worker is told to do with the lock at Path, one a line. Each has a number, which its answers bear.
type order struct {
	N    int
	Do   string // ping, acquire, try, release, check, inspect, turns, read, watch, unwatch, call, race
	Call string `json:",omitzero"` // of call: mkdir, rmdir, create, unlink, touch, stat or list; of race: "files" if each makes a file, too
	Path string `json:",omitzero"`

	Wait, Heartbeat, Stale, Poll time.Duration `json:",omitzero"` // of the Mutex

	Rounds int           `json:",omitzero"` // of turns: so often the lock is taken and released; of race
	Hold   time.Duration `json:",omitzero"` // of turns
	Past   time.Duration `json:",omitzero"` // of turns: no further round after this time
}

// A report is what a worker tells, one a line.
type report struct {
	N    int    // of the order that it follows from
	What string // see below
	Path string `json:",omitzero"`
	At   int64  // nanoseconds of the host's clock that no date moves

	Err   string        `json:",omitzero"`
	Held  bool          `json:",omitzero"` // the error matches ErrHeld
	Lost  bool          `json:",omitzero"` // the error matches ErrLost
	Text  string        `json:",omitzero"` // a token, or a state
	Took  time.Duration `json:",omitzero"`
	Count int           `json:",omitzero"`
}

// What reports tell. Those that end what an order began are its answer.
const (
	toldAcquired  = "acquired"  // the lock was had; ends acquire and try
	toldFailed    = "failed"    // it was not; ends acquire and try
	toldLost      = "lost"      // the lock's context has ended, and not by a release; comes at any time
	toldReleasing = "releasing" // Release is about to be called
	toldReleased  = "released"  // it has returned; ends release
	toldDone      = "done"      // ends every other order
)
