package notify

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// TestSuccessorAtPath: a directory that has the inode number of the one before it at the same path is known by its time.
func TestSuccessorAtPath(t *testing.T) {
	dir := t.TempDir()
	f := &fsnotifier{spots: map[string]spot{}, paths: map[int]string{}}
	seen := func() os.FileInfo {
		info, err := os.Lstat(dir)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	first, replaced := f.enter(dir, seen())
	if again, twice := f.enter(dir, seen()); again != first || replaced != 0 || twice != 0 {
		t.Errorf("%d and %d are the same, replaced %d and %d", first, again, replaced, twice)
	}
	if err := os.Chtimes(dir, time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if next, replaced := f.enter(dir, seen()); next == first || replaced != first {
		t.Errorf("the successor of %d is %d, replaced %d", first, next, replaced)
	}
}

// TestSuccessorTellsOthers: the library forgets the former watch of a path, with what there was to be told of it.
func TestSuccessorTellsOthers(t *testing.T) {
	dir := t.TempDir()
	src, told := listening(t)
	defer src.close()
	first, err := src.add(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(dir, time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	second, err := src.add(dir)
	if err != nil || second == first {
		t.Errorf("the second is %d, the first %d: %v", second, first, err)
	}
	wantTold(t, told, first)
}

// TestFailedAddTellsOthers: the library forgets the path, and those who watched it before must not wait in vain.
func TestFailedAddTellsOthers(t *testing.T) {
	dir := t.TempDir()
	src, told := listening(t)
	id, err := src.add(dir)
	if err != nil {
		t.Fatal(err)
	}
	src.close()
	if _, err := src.add(dir); !errors.Is(err, fsnotify.ErrClosed) {
		t.Errorf("added to what is closed: %v", err)
	}
	wantTold(t, told, id)
}

// listening returns a source, and the numbers of what it says is over.
func listening(t *testing.T) (source, <-chan int) {
	t.Helper()
	told := make(chan int, 10)
	src, err := openFsnotify(func(id int, n notice) {
		if n == over {
			told <- id
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return src, told
}

func wantTold(t *testing.T, told <-chan int, id int) {
	t.Helper()
	select {
	case gone := <-told:
		if gone != id {
			t.Errorf("told of %d, want %d", gone, id)
		}
	default:
		t.Error("nobody was told")
	}
}
