// Package dirlock locks a directory that several processes share, on one host or on many, with nothing between them but
// the file system: ext4, xfs, btrfs, tmpfs and other local ones, NFS and SMB.
//
// A lock is a directory, taken with mkdir. A file in it, the stamp, says by its name who holds it: pid, host, boot,
// namespace and a uuid; a heartbeat keeps the stamp's mtime moving. If [Mutex.Acquire] returns nil, no other process that
// keeps to the protocol holds the lock until it is released or the lock's context ends.
//
// A holder that died is found out and replaced; a live one is not robbed. An old mtime only opens the question. On the
// same host and in the same pid namespace the kernel answers it, and a paused process is not a dead one, however long.
// Only for holders on other hosts, and for stamps that are missing or not our format, does the mtime decide: after
// [Mutex.Stale] without a heartbeat, and only while the waiter watched. Such a holder may still be running: it loses its
// lease before anybody can take over, and learns of it by [Lock.Context]. Callers must stop then.
//
// A lock on a network can be lost. Callers must watch [Lock.Context], or use [Mutex.Do], and may ask with [Lock.Check].
//
// The package starts no goroutine before the first lock is taken, installs no signal handlers, and leaves nothing behind
// once the last lock is released.
package dirlock
