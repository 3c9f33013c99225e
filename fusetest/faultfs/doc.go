// Package faultfs mirrors a directory through FUSE and, on command, stalls, delays, fails and lies: a file system to test
// locks against that is as bad as network mounts are on their bad days, and as bad as the test wants it at that moment.
//
// [Start] serves a mount from a child process, so that a mount that stalls holds up neither the runtime nor the threads of
// the process that is tested. [Mount.Add] adds a [Rule], [Mount.Heal] ends all of them, and [Mount.Close] is certain to end
// the mount, whatever hangs in it. Two mounts of one directory look like two hosts; one with a cache like an NFS client.
//
// Without a rule nothing is cached: each look-up of each element of a path reaches the server. All that can be done with names, files and
// directories is passed through, but no extended attributes.
//
// It needs Linux, root and /dev/fuse, and neither fusermount nor any other program.
package faultfs
