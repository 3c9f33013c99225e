// Package proctest runs the lock in real processes for tests.
//
// The second process is the test binary itself: [Start] runs it again with an environment variable that makes [Main]
// serve words from stdin instead of running tests. One word is one command, each answered by one line on stdout:
//
//	acquire [wait=D] [path=P]  ACQ <stamp> | HELD <text> | ERR <text>
//	try [path=P]               the same, by TryAcquire
//	check                      OK | LOST <text> | ERR <text>
//	context                    LIVE | ENDED <cause>
//	release                    REL | LOST <text> | ERR <text>
//	turn D                     DONE: acquire, hold for D, release
//	loop N                     DONE <longest wait>: N turns of a moment each
//	at T path=P D              DONE: a turn on P that begins at the instant T (Unix nanoseconds)
//	inspect N                  STATE <state> <reason>, of the last of N looks
//	openall K                  OK <n>: takes up every descriptor but K
//	closeall                   OK: gives them back
//	guard SOCKET               OK: hands its file system calls to the test, see Guard
//	exit                       the process is gone, as in a crash
//
// A line that begins with "* " answers nothing: "* LOST <text>" when a held lock's context ends by loss. Whoever gets
// the lock makes the witness file with O_EXCL; where that fails, somebody else is inside, and the answer is TWO, which
// fails the test whatever it expected.
package proctest
