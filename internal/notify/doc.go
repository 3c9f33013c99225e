// Package notify passes on what the kernel tells of its own accord: that something is gone from a directory ([Dirs]), that
// a process has ended ([Exits]). Those who wait for a lock sleep on it instead of looking every few milliseconds.
//
// A notice is a reason to look again, and no more. Notices come for nothing, come twice, come late, and may not come at all:
// whoever waits looks from time to time all the same, and decides by what he sees then. In particular no kernel tells of what another
// host does on a network file system. Which file systems to watch is the caller's to decide.
//
// No system tells that a parent of a watched directory was moved: the directory is still itself, and only its path leads elsewhere.
//
// # Linux
//
// Directories by inotify, asked for removals alone, so that heartbeats cost nobody anything; processes by pidfd_open (Linux 5.3). One goroutine
// waits for all directories and one for each process, none of them in a thread of its own. The removal of a directory that somebody has open, or
// for a working directory, is told when that one leaves it; what was removed from it before is told at once.
//
// A directory needs one watch of the user's max_user_watches, however many wait at it, and one of his max_user_instances a process.
//
// # macOS, FreeBSD, OpenBSD, NetBSD
//
// Directories by the library fsnotify, over kqueue: it opens the directory and each file in it, looks the directory over whenever an entry is made or removed, and is
// called with each heartbeat. Processes by EVFILT_PROC, one thread for all of them; a zombie is ErrNoProcess where the system does not count it
// as a process. What is between the end of a process and its notice may be told to a waiter for whom its number had been given away in that moment.
//
// # Windows
//
// Directories by fsnotify, which has the directory open: it is gone from its path, but its name may not be free before the watch
// ends. Processes by their handles, one thread for 63 of them. A process of another user may refuse it.
//
// # Elsewhere
//
// What fsnotify can do; no exits. With fsnotify, also on Linux, an unmount is not told, and one path that hangs delays other calls of Watch.
package notify
