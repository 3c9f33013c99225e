package notify

// A source is a facility of the kernel that tells of changes in directories.
type source interface {
	// add has the directory at path watched and returns a number for it: the same one as long as it is the same directory and not
	// dropped. It may hang, and may be called from several goroutines at once, but not while drop or close is.
	add(path string) (id int, err error)

	// drop ends the watching of a directory. That it has ended already is no mistake.
	drop(id int)

	// close ends the source with all that is watched. It may take a while.
	close()
}

// A sink is what a source tells its notices to. It takes a lock under which no method of the source is called.
type sink func(id int, n notice)

type notice int

const (
	changed notice = iota // something may be gone from the directory
	over                  // the same, and nothing more will be told about this number
	lost                  // notices were lost: anything may have happened. id has no meaning
	broken                // the same, and nothing more will be told at all
)
