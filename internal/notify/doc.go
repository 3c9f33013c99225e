// Package notify passes on what the kernel tells of its own accord: that something is gone from a directory ([Dirs]), that
// a process has ended ([Exits]). Those who wait for a lock sleep on it instead of looking every few milliseconds.
//
// A notice is a reason to look again, and no more. Notices come for nothing, come twice, come late, and may not come at all:
// whoever waits looks from time to time all the same, and decides by what he sees then.
package notify
