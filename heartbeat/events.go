package heartbeat

// Events are the callbacks of one [Beat]; nil ones are not called. They run one after another, in order, on a goroutine
// that is made for them: a slow one delays neither beats nor the watchdog nor the events of other locks, and each may call Stop and
// Start. At most one of Gone and Lapsed is called, once, and nothing after it.
type Events struct {
	// Gone tells that the file system says the name is gone: a definite loss.
	Gone func()
	// Lapsed tells that the lease ran out. With asleep the watchdog itself had not run for a good part of the
	// lease (suspend, SIGSTOP, starvation), so that nothing may be wrong with the lock but its age; without, beats hung,
	// failed or did not count.
	Lapsed func(asleep bool)
	// Failing tells, for a log, the first error in a row: from Touch or Mtime, or ErrStill when half the lease has
	// passed without a movement. It ends nothing.
	Failing func(err error)
}

// tell hands f to b's own goroutine. The caller holds the scheduler's mutex.
func (b *Beat) tell(f func()) {
	b.untold = append(b.untold, f)
	if len(b.untold) == 1 {
		go b.deliver()
	}
}

// deliver calls what is untold, one after another, and ends when nothing is. What is being called stays at the head of
// the list, which is how tell knows that a deliverer is there.
func (b *Beat) deliver() {
	for {
		b.s.mu.Lock()
		f, stopped := b.untold[0], b.stopped
		b.s.mu.Unlock()
		if !stopped {
			f()
		}
		b.s.mu.Lock()
		b.untold = b.untold[1:]
		done := len(b.untold) == 0
		b.s.mu.Unlock()
		if done {
			return
		}
	}
}
