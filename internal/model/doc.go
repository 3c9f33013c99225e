// Package model is the lock protocol in small, with every interleaving of three processes looked at: A and B, which may crash, and
// the newcomer C, which may not. It proves nothing about code; it says whether the rules suffice, and what each is for.
//
// A [State] is what is in the directory P, and where each process is ([Place]). One call to the file system, or one reply, is one
// step. The steps of the protocol are methods of turn, named and numbered as in docs/protocol.md: acquire.go has 1 to 4, look.go
// verdicts and evict, hold.go the lease, leave.go withdraw, release and the marker, fence.go fencing numbers; faults.go has what
// may go wrong, mutants.go the rules that can be broken. [Explore] finds every state, breadth first; [Graph.Dead] those after which
// the lock cannot be had again: by C, without further faults, when A and B finish what they are at and begin nothing. A1 is A's first stamp.
//
// There is no clock. A waiter may wait for any time, so that an unstamped directory may always be old; that Stale goes by without
// a beat is a fault (lapse), and ends the lease in the same step. A name that nobody refers to any more is used again, as a new one.
// Taking a fencing number is one step. A create that lands late lands in whatever P there is, which is more than a server does. With
// guards, the lock on its stamp is all by which an owner is judged dead: however young it is (guard.go).
//
// The protocol, with so many faults of each kind ([Crash] and those listed with it): never two holders. States, and how many of them
// are dead; crash 1, lost 1 is one of each at most, at any moments:
//
//	none                        26,149     0
//	crash 1, lost 1             81,648     0
//	crash 1, lost 1, fail 1    319,516     0
//	crash 2, miss 1             70,088     0
//	crash 1, error 1            67,582     0
//	crash 1, lapse 1           525,171     0
//	lost 1, lapse 1          1,048,824     0
//	slow 1                   1,312,895     0
//	litter 1                   209,718     0
//	litter 2                   624,414     0
//	crash 1, litter 1          260,272   884
//	crash 2, litter 1          262,179   933
//	shell 2                     13,070     0
//	lapse 1, with fencing      651,671     -
//	none, with guards          128,154     0
//	crash 1, lost 1, with guards   416,157     0
//	lapse 1, with guards     1,849,957     0
//
// The dead are a documented limit: a crash, with junk, in a directory not yet stamped, or between unlink and rmdir. Another: a script's
// plain mkdir (shell) is robbed by a late rmdir or a late open, which takes a crash or a lapse besides. With a rule broken
// ([NoListing] and those listed with it), the faults that it takes, the steps of the shortest counter-example, and what it comes to; the
// example prints one, step by step:
//
//	NoListing          none      11  two holders
//	RecordInContent    none      16  two holders
//	EvictByPath        crash 1   20  two holders
//	LoserRemovesAll    crash 1   22  two holders
//	RenameAside        lapse 1   23  two holders
//	UnstampedIsFree    shell 1    8  two holders
//	StrayForgotten     miss 1     4  14,437 dead states
//	ErrorIsGone        error 1   13  two holders
//	NoLeaseCheck       lapse 1   15  two holders
//	RestartLapsed      lapse 1   16  two holders
//	ReleaseByPath      lapse 1   25  two holders
//	UUIDTwice          lapse 1   28  two holders
//	NoMarker           litter 1   2  36,906 dead states
//	NumberBeforeCreate none      17  a holder's number is not above those before
//	NumberAfterListing lapse 1   17  a zombie's number is above the live holder's
//	GuardAfterListing  none      18  two holders
//	GuardNotHad        none      18  two holders
//	ProbeDropped       none      18  two holders
package model
