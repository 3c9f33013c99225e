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
package proptest
