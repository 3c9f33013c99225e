// Package chaos lets processes on several hosts of a lab (internal/netlab) contend for locks on a network file system while
// processes are killed and stopped, hosts lose power and network, dates jump and the server reboots; and it judges what
// came of that.
//
// A trial has three kinds of witness, who print a line for each thing that happens (see [Record]):
//
//   - workers take locks, and say when they entered, that they still hold, that they were told of a loss, and that they left;
//   - a probe on each client says that the server answers this host;
//   - a watch on the server says which stamps come, beat and go on its own disk. Whether an owner was silent is what
//     the server saw, and not when somebody was cut off.
//
// What they print goes past the network that is cut, so that one who is cut off is heard. Each line carries the time of the
// witness' own clock that no date moves; it is translated to the machine's (see [Clock]), with the error that this has.
//
// [Judge] is a pure function over these lines. [NewSchedule] makes the faults from a seed. The workers and the trial itself are in the
// tests.
package chaos
