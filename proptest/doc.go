// Package proptest runs the lock that ships on a simulated shared file system, one call at a time, and searches the orders
// in which things can happen for one that breaks a promise.
//
// A [World] is a few hosts with processes on them that share a directory. It lives in a testing/synctest bubble: its time is
// fake, and nothing moves but what [World.Do] is told to move. Each call that a process makes to the file system waits
// until an [Action] lets it go on; it may fail, take effect twice, take effect late, stop or kill its process before or after.
// A judge stands at the server and sees each effect. What was done is a [Script], in text: a failing run prints it,
// and it can be run again as it stands.
//
// The zero [Config] is the harshest world. What no simulation can show is in docs/testing.md.
//
// # Scripts
//
// A script is a line for each action; what follows a # is a comment. The first line is the world:
//
//	world nfs3|nfs4|nfs4new|smb|local [usual] [fine] [latency=20ms]
//
// usual mounts it with the default options, not with such as let a client keep what it was told for minutes, fine makes mtimes exact, latency is how long a call takes, see [Config]. Then come hosts and processes. All processes
// want one and the same lock. Times are Go's: 300ms, 1m, -1h.
//
//	host NAME [wall=1h] [drift=200] [like=OTHER] [mount=smb]
//	start NAME HOST [h=1s] [stale=30s] [mode=770]
//
// wall is how far the host's date is ahead, drift how fast its clocks run, in parts per million; like makes it a clone,
// with the other's boot id; mount is how this one mounts what is shared, if not as the world says: local is the server itself. h and stale are Heartbeat and Stale of package dirlock, mode the lock directory's in octal.
// More of start, all about what the kernel shows: ns=NAME (the pid namespace of a container), pid=N, uid=N,
// proc=host|none|hidden (whose /proc it sees: the host's, none, one without other users), deny=CALL (a system call that is
// refused), group=1 (a process group works under its locks). guards=N is how many guards it may keep open (3).
//
// Time passes, and calls get their effect and their answer, in these alone, and in finish. At an instant, calls go on in the
// order in which their processes were started.
//
//	run D [P]     for so long; at each instant the calls of P go first
//	pass D        for so long, and no call goes on
//	step P        one call of P goes on, at once
//	suspend H D   for so long; the host sleeps meanwhile, and its monotonic clock does not count that
//
// What a process does:
//
//	acquire P D   it asks for the lock and waits for D at most; 0s: it tries once; negative: it waits for ever
//	cancel P      what it waits for is canceled
//	release P     it gives up the first lock that it holds; without one, nothing happens
//	again P       it releases one that it released before
//	check P       it asks whether it still holds
//	inspect P     it looks who holds; it must not have wanted the lock, and cannot afterwards
//	extra P N     it takes N more locks, which nobody else wants
//
// What happens to it:
//
//	stop P, cont P            SIGSTOP, SIGCONT
//	kill P [zombie] [heir], reap P   SIGKILL; with zombie, nobody has waited for it until reap; with heir, a child of its own
//	                          has what it had open
//	ungroup P [zombies]       the group under its locks ends
//	fault P CALL+SKIP before|after WHAT [ERRNO] [xN]
//	let P                     its calls that are held go on with the next run or step
//	land                      late calls have their effect
//
// A fault waits for a call: after so many (SKIP) like it have passed, it happens to one, or to N in a row. CALL is any, or
// one of mkdir, rmdir, opendir, list, info, stat, statfs, create, open and guard (both for one's own guard), probe (for another's), read,
// touch, setmtime, unlink, chmod, if need be with what it is
// about: unlink:own and unlink:other (one's own stamp, somebody else's), rmdir:lock (the directory), create:vacant (the
// marker), touch:probe (the probe of the server's clock). before and after are meant of the call's effect. WHAT is
//
//	stop, kill      the process, there and then
//	hold            the call stays where it is until let; others of the process go on
//	fail ERRNO      before: it has no effect, and is answered so
//	unheard ERRNO   after: it had its effect, and is answered so
//	late ERRNO      before: it is answered so, and has its effect at land
//	replay          after: it has its effect once more
//	miss            before, of list: the listing lacks the process's own stamps
//
// What happens to hosts and the server, and what others do:
//
//	cut H, heal H             off the network, and on again
//	reboot H                  all of its processes are killed, and it starts again
//	shift H D                 its date jumps
//	clock D                   the server's date jumps
//	hang, answer              the server answers nobody (local mounts do not mind), and does again
//	grace                     the server was rebooted: on NFS 4 nothing is made, opened or removed before answer
//	open H [dir], close H     a backup on H has the first stamp open, or the lock directory, and closes it
//	forge P corrupt|version   a stamp of no known format, or of a later version in the name of P
//	junk file|dir|dropping|residue|stamplike   something foreign in the lock directory
//	script mkdir|rmdir|touch|unlock|move|file|rm   what is done by hand at the lock's path; unlock removes the stamps, move moves the directory away
//	finish [H]                all that is wrong ends; all who wait, and a newcomer (on H, or on a host of its own), must get
//	                          the lock in time, and nothing may be left
//
// A script without finish ends where it ends: what happens afterwards is not judged.
//
// # Traces
//
// A trace has a line for each action ("# run 3s") and for each effect of a call: the time, the process, the call, the last
// part of its path, and the error, if there was one. A note in brackets is a fault that struck; [by #1] is the return of
// acquire, release or check, in the process's second request (#0 is the first).
package proptest
