// Package archtest holds the rules of this repository that a compiler does not check, as tests: which package may import
// which, that the protocol reaches the system through one seam only, what an importer of the library pulls in, that every exported
// name says its contract, and that the documents name only tests, files and commands that exist.
//
// It has no code of its own: nothing imports it.
package archtest
