package heartbeat

import (
	"math/bits"
	"sync"
	"time"
)

// Clock is where a [Scheduler] has its time from. Both readings have arbitrary origins and never go back. They are asked
// often, and while the scheduler's mutex is held: they must not block.
type Clock interface {
	Mono() time.Duration // does not count suspend: for observing others
	Boot() time.Duration // counts suspend: for leases
}

// Target is the stamp of one lock as the scheduler sees it. Its methods are called one at a time and may block for as
// long as the file system hangs.
type Target interface {
	// Touch sends one beat. An error that is ErrGone or fs.ErrNotExist is definite, any other is transient.
	Touch() error
	// Mtime reads the modification time back from the file system itself, not from a cache. Errors as for Touch; a
	// name without links is ErrGone.
	Mtime() (time.Time, error)
}

// Scheduler beats for all the locks of a process. It is made by [New] and safe for concurrent use. It must not be copied.
type Scheduler struct {
	clock Clock
	slot  time.Duration // where in a quantum this scheduler's instants fall

	// mu guards everything below and every Beat. It is held for arithmetic only: never while a Target is called or an
	// event told, so a hanging file system cannot stop the watchdog.
	mu     sync.Mutex
	seq    uint64
	due    queue                 // beats that wait for their time
	leases queue                 // all beats that have not ended, by the end of their lease
	groups map[string]*group     // those with workers
	ticks  map[time.Duration]int // how many locks ask the watchdog for a tick
	tick   time.Duration         // the shortest of them
	beats  alarm
	dog    alarm
	slept  time.Duration // how much the watchdog has overslept in all; only differences mean anything
}

// Option changes a [Scheduler] at its making.
type Option func(*Scheduler)

// quantum is the grid of instants on which timers fall: 256 slots of four nanoseconds. A microsecond is far
// below what a real timer keeps.
const quantum = 1024 * time.Nanosecond

// Slot gives the scheduler's timers instants of their own: no timer of slot n is due at the same instant as one of another slot (modulo 256),
// on clocks that differ by multiples of 1024 ns. It is for simulations with several processes in one synctest bubble, which
// breaks ties at random. The default is 0.
func Slot(n uint8) Option {
	return func(s *Scheduler) { s.slot = 4 * time.Duration(n) }
}

// New returns a scheduler that runs on c. It has no goroutine and no timer until something is started.
func New(c Clock, opts ...Option) *Scheduler {
	s := &Scheduler{clock: c, groups: map[string]*group{}, ticks: map[time.Duration]int{}}
	s.due = queue{key: func(b *Beat) time.Duration { return b.due }, place: func(b *Beat) *int { return &b.duePlace }}
	s.leases = queue{key: func(b *Beat) time.Duration { return b.lease.end() }, place: func(b *Beat) *int { return &b.leasePlace }}
	for _, o := range opts {
		o(s)
	}
	// Beats and the watchdog are two purposes, so their instants differ too.
	s.beats = alarm{offset: s.slot + 1, ring: s.onBeats}
	s.dog = alarm{offset: s.slot + 2, ring: s.onWatch}
	return s
}

// Start begins to beat for t, and to watch its lease, until Stop or a terminal event.
//
// group names what hangs together, which is the mount: at most four calls are under way in a group. The empty name is a
// group like any other. leaseFrom is Clock.Boot's reading from before the stamp's create was sent; mtime is the modification time that the first beat
// must move, or zero if unknown, in which case it is read just before that beat. set should be valid (see Settings.Validate);
// a shorter heartbeat than MinHeartbeat is taken for that.
//
// If the lease has run out already, Lapsed(true) follows at once: who looks at the clock before it calls Start has slept since.
func (s *Scheduler) Start(group string, t Target, set Settings, leaseFrom time.Duration, mtime time.Time, ev Events) *Beat {
	set.Heartbeat = max(set.Heartbeat, MinHeartbeat)
	b := &Beat{s: s, group: group, target: t, set: set, events: ev, pulse: pulse{last: mtime}}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	s.seq++
	b.seq = s.seq
	b.phase = phase(s.seq, set.Heartbeat)
	b.lease = lease{from: min(leaseFrom, now), length: set.Lease()}
	b.slept = s.slept
	b.late = b.lease.lapsed(now)
	b.due = s.beats.after(b.next(now))
	s.due.add(b)
	s.leases.add(b)
	s.wants(set.tick(), +1)
	s.armBeats(now)
	s.armWatch(now)
	return b
}

// phase is the n-th term of the sequence that fills an interval most evenly whatever its length so far: multiples of the golden ratio.
func phase(n uint64, heartbeat time.Duration) time.Duration {
	hi, _ := bits.Mul64(n*0x9E3779B97F4A7C15, uint64(heartbeat))
	return time.Duration(hi)
}

// dispatch hands the beats that are due to the workers of their groups, with those that are due soon: who holds ten thousand locks
// would else be woken up for each beat of each of them. The caller holds mu.
func (s *Scheduler) dispatch(now time.Duration) {
	for b := s.due.first(); b != nil && b.due <= now+b.set.early(); b = s.due.first() {
		s.due.drop(b)
		s.enqueue(b)
	}
	s.armBeats(now)
}

// onBeats runs when the first beat is due.
func (s *Scheduler) onBeats() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.beats.rang()
	s.dispatch(s.now())
}

func (s *Scheduler) armBeats(now time.Duration) {
	if b := s.due.first(); b != nil {
		s.beats.arm(now, b.due)
	}
}

// forget takes b out of everything. The caller holds mu and has seen that b had not ended.
func (s *Scheduler) forget(b *Beat) {
	b.ended = true
	s.due.drop(b)
	s.leases.drop(b)
	s.dequeue(b)
	s.wants(b.set.tick(), -1)
	if s.leases.first() == nil {
		s.beats.disarm()
		s.dog.disarm()
	}
}
