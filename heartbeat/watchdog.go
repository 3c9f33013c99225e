package heartbeat

import "time"

// The watchdog ends leases. It runs on an alarm of its own, shares nothing with the workers but a mutex that is never
// held across a call, and so cannot be kept from running by any file system. It also rings in between, only to see whether
// it rings late: that is how a process learns that it was stopped or suspended.

// onWatch runs at every tick and at the end of the first lease.
func (s *Scheduler) onWatch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	s.dog.rang()
	for b := s.leases.first(); b != nil && b.lease.lapsed(now); b = s.leases.first() {
		s.lapse(b)
	}
	// A timer does not count suspend: after one, beats are due sooner than theirs rings.
	s.dispatch(now)
	s.armWatch(now)
}

// lapse ends b, whose lease has run out.
func (s *Scheduler) lapse(b *Beat) {
	// Sleep is summed over the lease, not just looked for on this tick: the process may have been woken up just before
	// the end, too late for a beat.
	asleep := b.late || s.slept-b.slept > b.set.drowsy()
	s.forget(b)
	if f := b.events.Lapsed; f != nil {
		b.tell(func() { f(asleep) })
	}
}

func (s *Scheduler) armWatch(now time.Duration) {
	if b := s.leases.first(); b != nil {
		s.dog.arm(now, min(b.lease.end(), now+s.tick))
	}
}

// wants changes how many locks ask for a tick. The shortest one is kept. There are as many different ones as different heartbeats: few.
func (s *Scheduler) wants(tick time.Duration, n int) {
	if s.ticks[tick] += n; s.ticks[tick] <= 0 {
		delete(s.ticks, tick)
	}
	s.tick = 0
	for t := range s.ticks {
		if s.tick == 0 || t < s.tick {
			s.tick = t
		}
	}
}

// now reads the clock and keeps account of sleep: whoever comes first after a pause, a worker or the watchdog, finds the
// watchdog's alarm overdue and books the difference, once. So a beat that is sent after the pause starts its lease with
// the pause booked. The caller holds mu.
func (s *Scheduler) now() time.Duration {
	now := s.clock.Boot()
	if late := now - s.dog.at; s.dog.armed && late > s.tick {
		s.slept += late
		s.dog.wake(now)
	}
	return now
}
