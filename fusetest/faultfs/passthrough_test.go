//go:build linux

package faultfs_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/fusetest/faultfs"
)

// What is done in order in a directory, through the mount and without it. Errors are part of what is compared.
var passedThrough = []struct {
	what string
	do   func(dir string) error
}{
	{"symlink", func(d string) error { return os.Symlink("file", d+"/link") }},
	{"a link that leads nowhere", func(d string) error { return os.Symlink("/no/where", d+"/dangling") }},
	{"symlink over a file", func(d string) error { return os.Symlink("x", d+"/link") }},
	{"write by a link", func(d string) error { return appendTo(d+"/link", "by link,") }},
	{"create by a link", func(d string) error { return file(d+"/dangling", unix.O_CREAT|unix.O_WRONLY, nil) }},
	{"open no link", func(d string) error { return file(d+"/link", unix.O_RDONLY|unix.O_NOFOLLOW, nil) }},
	{"hard link", func(d string) error { return os.Link(d+"/file", d+"/hard") }},
	{"hard link over a file", func(d string) error { return os.Link(d+"/file", d+"/hard") }},
	{"append", func(d string) error { return errors.Join(appendTo(d+"/file", "one,"), appendTo(d+"/hard", "two,")) }},
	{"truncate", func(d string) error { return os.Truncate(d+"/hard", 5) }},
	{"open and truncate", func(d string) error { return os.WriteFile(d+"/file2", []byte("short"), 0o644) }},
	{"create what is there", func(d string) error { return file(d+"/file2", unix.O_CREAT|unix.O_WRONLY, nil) }},
	{"create anew what is there", func(d string) error { return file(d+"/file2", unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY, nil) }},
	{"fifo", func(d string) error { return unix.Mkfifo(d+"/fifo", 0o620) }},
	{"socket", func(d string) error { return unix.Mknod(d+"/socket", unix.S_IFSOCK|0o600, 0) }},
	{"regular node", func(d string) error { return unix.Mknod(d+"/node", unix.S_IFREG|0o640, 0) }},
	{"chmod", func(d string) error {
		return errors.Join(os.Chmod(d+"/file2", 0o604), os.Chmod(d+"/set", 0o751|fs.ModeSetgid))
	}},
	{"chown", func(d string) error { return errors.Join(os.Lchown(d+"/set", 7, 8), os.Lchown(d+"/dangling", 9, -1)) }},
	{"sticky", func(d string) error { return os.Chmod(d+"/empty", 0o777|fs.ModeSticky) }},
	{"dates", func(d string) error { return os.Chtimes(d+"/file", time.Unix(5, 6000), time.Unix(7, 8000)) }},
	{"one date", func(d string) error {
		return unix.UtimesNanoAt(unix.AT_FDCWD, d+"/file", []unix.Timespec{{Nsec: unix.UTIME_OMIT}, {Sec: 77}}, 0)
	}},
	{"dates of a link", func(d string) error {
		return unix.UtimesNanoAt(unix.AT_FDCWD, d+"/link", []unix.Timespec{{Sec: 3}, {Sec: 4}}, unix.AT_SYMLINK_NOFOLLOW)
	}},
	{"rename", func(d string) error { return os.Rename(d+"/node", d+"/renamed") }},
	{"rename into a directory", func(d string) error { return os.Rename(d+"/hard", d+"/set/hard") }},
	{"rename over a file", func(d string) error { return os.Rename(d+"/renamed", d+"/file2") }},
	{"rename a directory", func(d string) error { return os.Rename(d+"/set", d+"/moved") }},
	{"and use what is in it", func(d string) error { return appendTo(d+"/moved/hard", "more") }},
	{"rename over an empty directory", func(d string) error { return unix.Rename(d+"/moved", d+"/empty") }},
	{"rename over a full directory", func(d string) error { return unix.Rename(d+"/other", d+"/empty") }},
	{"rename a directory into itself", func(d string) error { return unix.Rename(d+"/other", d+"/other/x") }},
	{"rename to no other", func(d string) error {
		return unix.Renameat2(unix.AT_FDCWD, d+"/link", unix.AT_FDCWD, d+"/file2", unix.RENAME_NOREPLACE)
	}},
	{"exchange", func(d string) error {
		return unix.Renameat2(unix.AT_FDCWD, d+"/link", unix.AT_FDCWD, d+"/file2", unix.RENAME_EXCHANGE)
	}},
	{"unlink a directory", func(d string) error { return unix.Unlink(d + "/other") }},
	{"rmdir a file", func(d string) error { return unix.Rmdir(d + "/file") }},
	{"rmdir what is full", func(d string) error { return unix.Rmdir(d + "/empty") }},
	{"sync a directory", func(d string) error { return file(d, unix.O_RDONLY|unix.O_DIRECTORY, unix.Fsync) }},
	{"another's directory", func(d string) error { return as(1234, func() error { return os.Mkdir(d+"/everyones/his", 0o755) }) }},
	{"another's file", func(d string) error {
		return as(1234, func() error { return os.WriteFile(d+"/everyones/file", []byte("his"), 0o600) })
	}},
	{"another's fifo", func(d string) error { return as(1234, func() error { return unix.Mkfifo(d+"/everyones/fifo", 0o600) }) }},
	{"another's link", func(d string) error { return as(1234, func() error { return os.Symlink("x", d+"/everyones/link") }) }},
	{"another's where he may not", func(d string) error { return as(1234, func() error { return os.Mkdir(d+"/his", 0o755) }) }},
	{"open another's", func(d string) error {
		return as(1235, func() error { return file(d+"/everyones/file", unix.O_RDONLY, nil) })
	}},
	{"create over another's", func(d string) error { return file(d+"/everyones/file", unix.O_CREAT|unix.O_RDWR, nil) }},
}

// A mount without rules does what the directory does that it mirrors.
func TestPassesThrough(t *testing.T) {
	m := mount(t)
	plain, mirrored := t.TempDir(), filepath.Join(m.Point, "d")
	for _, dir := range []string{os.TempDir(), filepath.Dir(m.Dir), m.Dir, plain} { // another user is to come there
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(mirrored, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{plain, mirrored} {
		for _, sub := range []string{"set", "empty", "other", "everyones"} {
			if err := os.Mkdir(dir+"/"+sub, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(os.WriteFile(dir+"/file", []byte("old,"), 0o644), os.WriteFile(dir+"/file2", []byte("longer than it"), 0o644),
			os.Chown(dir+"/everyones", 0, 4321), os.Chmod(dir+"/everyones", 0o777|fs.ModeSetgid)); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range passedThrough {
		want, got := bare(d.do(plain)), bare(d.do(mirrored))
		if want != got {
			t.Errorf("%s: %v, and without the mount %v", d.what, got, want)
		}
		want = tree(t, plain)
		for _, dir := range []string{mirrored, filepath.Join(m.Dir, "d")} {
			if got := tree(t, dir); got != want {
				t.Fatalf("after %q there is in %s\n%sand without the mount\n%s", d.what, dir, got, want)
			}
		}
	}
	if !there(plain + "/everyones/link") {
		t.Error("another user could do nothing here, and so was not tried")
	}
}

// bare is an error without paths.
func bare(err error) string {
	if err == nil {
		return "no error"
	}
	var e syscall.Errno
	if errors.As(err, &e) {
		return e.Error()
	}
	return err.Error()
}

func appendTo(path, text string) error {
	return file(path, unix.O_WRONLY|unix.O_APPEND, func(fd int) error { _, err := unix.Write(fd, []byte(text)); return err })
}

// tree is all that can be seen of a directory, but when it was changed of its own accord.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var lines []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		var st unix.Stat_t
		if err := unix.Lstat(path, &st); err != nil {
			return err
		}
		line := fmt.Sprintf("%s %v: %o %d:%d, %d links", strings.TrimPrefix(path, dir), e.Type(), st.Mode, st.Uid, st.Gid, st.Nlink)
		if sec := st.Mtim.Sec; sec < 1000 { // one that was set
			line += fmt.Sprint(", of ", sec, ".", st.Mtim.Nsec)
			if e.Type() != fs.ModeSymlink { // which below is read
				line += fmt.Sprint(", used ", st.Atim.Sec)
			}
		}
		switch {
		case e.Type() == fs.ModeSymlink:
			to, err := os.Readlink(path)
			line += fmt.Sprintf(", to %s %v", to, err)
		case e.Type().IsRegular():
			text := make([]byte, 99)
			n := 0
			err := file(path, unix.O_RDONLY|unix.O_NOATIME, func(fd int) (err error) { n, err = unix.Read(fd, text); return err })
			line += fmt.Sprintf(", %d bytes %q %v", st.Size, text[:max(n, 0)], err)
		}
		lines = append(lines, line+"\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// A listing goes on where it was, from the start again, or where somebody was before.
func TestListingsAreSought(t *testing.T) {
	m := mount(t)
	const many = 500
	for i := range many {
		if err := os.WriteFile(fmt.Sprintf("%s/a-rather-long-name-%d", m.Dir, i), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	err := file(m.Point, unix.O_RDONLY|unix.O_DIRECTORY, func(fd int) error {
		for range 3 {
			if _, err := unix.Seek(fd, 0, 0); err != nil {
				return err
			}
			seen, buf := map[string]int{}, make([]byte, 4096)
			for {
				n, err := unix.Getdents(fd, buf)
				if err != nil {
					return err
				}
				if n == 0 {
					break
				}
				_, _, names := unix.ParseDirent(buf[:n], -1, nil)
				for _, name := range names {
					seen[name]++
				}
			}
			for i := range many {
				if name := fmt.Sprint("a-rather-long-name-", i); seen[name] != 1 {
					t.Errorf("%s was listed %d times", name, seen[name])
				}
			}
			if len(seen) != many {
				t.Errorf("%d names, of %d", len(seen), many)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A rule goes by the name that something has got.
func TestRulesGoByTheNewName(t *testing.T) {
	m := mount(t)
	furnish(t, m)
	if _, err := m.Add(faultfs.Rule{Cache: time.Minute}); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(m.Point+"/d/f", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Rename(m.Point+"/d", m.Point+"/e"); err != nil {
		t.Fatal(err)
	}
	id, err := m.Add(faultfs.Rule{Ops: []string{"write"}, Path: "e/f"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("x"); err != nil {
		t.Fatal(err)
	}
	if n, last, err := m.Fired(id); n != 1 || last != "write e/f" || err != nil {
		t.Errorf("%d calls, the last %q, %v", n, last, err)
	}
}
