package nettest

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// call does one call of the seam that the lock is built on, so that what a client does of its own accord is seen with the lock's eyes.
// The answer's Text is what it said.
func (w *worker) call(o order) {
	files, said := fsys.OS(), ""
	var err error
	switch o.Call {
	case "mkdir":
		err = files.Mkdir(o.Path, 0o777)
	case "rmdir":
		err = files.Rmdir(o.Path)
	case "create":
		err = files.Create(o.Path, []byte("made by a test\n"), 0o666)
	case "unlink":
		err = files.Unlink(o.Path)
	case "touch":
		err = files.Touch(o.Path)
	case "stat":
		var info fsys.Info
		info, err = files.Stat(o.Path)
		said = info.Mtime.UTC().Format(time.RFC3339Nano)
		if err == nil && info.Nlink == 0 {
			said, err = "", errors.New("removed: no link is left")
		}
	case "list":
		var names []string
		names, err = list(o.Path)
		said = strings.Join(names, " ")
	default:
		err = errors.New("no such call: " + o.Call)
	}
	r := o.answer(toldDone, err)
	r.Text = said
	w.tell(r)
}

func list(dir string) ([]string, error) {
	d, err := fsys.OS().OpenDir(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	entries, err := d.List()
	var names []string
	for _, e := range entries {
		names = append(names, e.Name)
	}
	slices.Sort(names)
	return names, err
}

// race makes one directory after the other, as others do at the same time. The answer's Text has the numbers of those that it won. In a race of
// files, it makes a file of its own in each directory, whoever made that, and lists it, as step 3 of the protocol does: Text has the numbers of those
// in which it saw nobody else's.
func (w *worker) race(o order) {
	files := fsys.OS()
	host, _ := os.Hostname()
	var numbers []string
	for i := range o.Rounds {
		dir := fmt.Sprint(o.Path, "-", i)
		err := files.Mkdir(dir, 0o777)
		won := err == nil
		if err != nil && !fsys.Is(err, fsys.Exist) {
			w.tell(o.answer(toldDone, err))
			return
		}
		if o.Call == "files" {
			if err = files.Create(path.Join(dir, host), nil, 0o666); err == nil {
				var names []string
				names, err = list(dir)
				if !slices.Contains(names, host) {
					err = errors.Join(err, fmt.Errorf("%s: the own file is not listed: %v", dir, names))
				}
				won = len(names) == 1
			}
			if err != nil {
				w.tell(o.answer(toldDone, err))
				return
			}
		}
		if won {
			numbers = append(numbers, fmt.Sprint(i))
		}
	}
	r := o.answer(toldDone, nil)
	r.Text, r.Count = strings.Join(numbers, " "), len(numbers)
	w.tell(r)
}
