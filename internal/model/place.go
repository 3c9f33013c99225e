package model

// A Place is the step that a process is about to take.
type Place uint8

// The places, by the steps of the protocol.
const (
	Start     Place = iota // 1: mkdir; or it has no use for the lock
	Open                   // mkdir made it: open it by its path
	Look                   // mkdir says that it exists: open it by its path, and list
	Judge                  // verdicts on what was listed
	MarkFirst              // junk was listed: the marker before the eviction
	Evict                  // unlink the victim, by its name
	Verify                 // RenameAside: what was it that was renamed?

	Create     // 2
	Write      // RecordInContent
	OpenGuard  // 2: its stamp, once more, for the guard
	Guard      // 2: the lock on it
	TakeNumber // fencing
	List       // 3
	Stat       // 3: are the others really there?
	Lease      // 4
	Holds

	Lapsed     // the lease ran out, and it has not looked at a clock since
	Anew       // a lapsed lease is taken anew, in place: create
	AnewUnlink // ... and unlink the old name
	LostIt     // the context has ended; the stamp stays until release

	WithdrawMark // junk was listed in step 3
	Withdraw     // unlink the own stamp

	ReleaseMark   // has listed: junk
	ReleaseUnmark // has listed: no junk, but the marker
	ReleaseUnlink // unlink the own stamp

	Rmdir        // the own stamp is gone
	Settle       // ENOTEMPTY: list again
	SettleMark   // junk
	SettleUnmark // nothing but the marker

	Crashed
	OutOfNames // a limit of the model, which is never reached
)

// opened reports whether a process there works on a directory that it has opened, and not on the path: what it does may
// come too late for the directory, but cannot hit the next one. (Elsewhere it makes no difference: it names its own stamp.)
func (at Place) opened() bool {
	switch at {
	case Judge, MarkFirst, Evict, Create, Anew, WithdrawMark, ReleaseMark, ReleaseUnmark, SettleMark, SettleUnmark:
		return true
	}
	return false
}
