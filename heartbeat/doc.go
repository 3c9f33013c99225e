// Package heartbeat keeps stamps fresh, ends leases in time, and watches the heartbeats of others without trusting any wall clock.
//
// # The holder's side
//
// A [Scheduler] beats for all the locks of a process. For every lock that was given to [Scheduler.Start] it promises:
//
//   - One beat every Heartbeat, at a phase of the lock's own, so that the beats of 10,000 locks are spread evenly over the
//     interval. A beat that comes late is sent once, never several times to catch up, and never twice at once.
//   - The lease runs from the moment before the last beat that counted was sent, never from its return, for Stale less a
//     third of it (see [Settings.Lease]). A lease that has run out is never extended, and its name is not beaten again.
//   - A beat counts only while the modification time that is read back moves: at the first beat, and then whenever a sixth
//     of Stale has passed. Between a read-back that stood still, or failed, and the next that moved, no beat counts. Coarse modification
//     times (FAT: two seconds) therefore do no harm while one read-back in a lease moves.
//   - A watchdog, which never touches the file system, ends the lock when the lease has run out, even while a beat hangs in
//     the kernel, and says whether this process was asleep (suspend, SIGSTOP, starvation) in the meantime.
//   - At most four calls per group (the mount) are under way, however many locks there are and however long it hangs; a
//     group that hangs delays no other one.
//   - No goroutine and no timer is left once no lock is held, save calls that are still stuck in the kernel.
//
// What ends a lock is told once, through [Events]: its name is gone, or its lease ran out. After that no beat is sent.
// Everything else is transient, and the next beat tries again.
//
// All decisions are made by [Clock].Boot, which counts suspend; the timers of package time only wake the scheduler up.
// Their instants fall on a residue per scheduler and purpose (see [Slot]), so that in a simulation no two are due at once.
//
// # The waiter's side
//
// An [Observer] turns looks at one name into what may be said of its heartbeat: how long it has been seen unchanged on the watcher's own
// monotonic clock, and its age on the file system's own clock where that is known. It is pure: it reads no clock and no
// file. It never compares a modification time with this host's time.
//
// What it cannot see: a holder that is silent while the file system's clock steps forward between two looks that carry no
// reading of that clock.
package heartbeat
