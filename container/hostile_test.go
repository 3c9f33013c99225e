package container

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// odd is a file system whose files are not what they seem.
type odd struct {
	fs.FS
	lstat func(name string) (fs.FileInfo, error)
	open  func(name string) (fs.File, error)
}

func (o odd) Lstat(name string) (fs.FileInfo, error) { return o.lstat(name) }
func (o odd) Open(name string) (fs.File, error)      { return o.open(name) }
func (o odd) ReadLink(name string) (string, error)   { return "", fs.ErrPermission }
func (o odd) plain(name string) (fs.FileInfo, error) { return info{0o444, name}, nil }

type info struct {
	mode fs.FileMode
	name string
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return 1 << 40 }
func (i info) Mode() fs.FileMode  { return i.mode }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.mode.IsDir() }
func (i info) Sys() any           { return nil }

type oddFile struct {
	info
	read func([]byte) (int, error)
}

func (f oddFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f oddFile) Read(p []byte) (int, error) { return f.read(p) }
func (f oddFile) Close() error               { return nil }

func TestReadsAreBounded(t *testing.T) {
	var total int
	endless := func(name string) (fs.File, error) {
		return oddFile{info{0o444, name}, func(p []byte) (int, error) {
			if total += len(p); total > 4<<20 {
				t.Fatal("reads without end")
			}
			for i := range p {
				p[i] = "a \n"[i%3]
			}
			return len(p), nil
		}}, nil
	}
	Detect(odd{lstat: odd{}.plain, open: endless}, nil)
	if total == 0 || total > 768<<10 {
		t.Errorf("%d bytes were read", total)
	}
}

// A busy host's mounts exceed the limit; what is before the cut counts, the cut line does not.
func TestMountsBeyondTheLimit(t *testing.T) {
	c := load(t, "docker-rootful/cgroupns-private")
	long := make([]byte, 0, 2*maxMounts)
	long = append(long, c.fsys["proc/self/mountinfo"].Data...)
	for len(long) < 2*maxMounts {
		long = append(long, "500 282 0:99 / /mnt/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa rw - tmpfs tmpfs rw\n"...)
	}
	c.put("proc/self/mountinfo", string(long))
	if got := c.detect().String(); got != "docker 22b5fbf093db" {
		t.Errorf("got %q", got)
	}
}

// What is not a regular file is not opened, and one that turns into something else meanwhile is not read.
func TestOnlyRegularFiles(t *testing.T) {
	for _, mode := range []fs.FileMode{fs.ModeNamedPipe, fs.ModeDevice, fs.ModeDevice | fs.ModeCharDevice, fs.ModeSocket, fs.ModeDir, fs.ModeSymlink, fs.ModeIrregular} {
		got := Detect(odd{
			lstat: func(name string) (fs.FileInfo, error) { return info{mode | 0o644, name}, nil },
			open: func(name string) (fs.File, error) {
				t.Errorf("%v: %s was opened", mode, name)
				return nil, fs.ErrInvalid
			},
		}, nil)
		if got.Detected() || len(got.Evidence) > 0 {
			t.Errorf("%v: got %#v", mode, got)
		}
		Detect(odd{lstat: odd{}.plain, open: func(name string) (fs.File, error) {
			return oddFile{info{mode | 0o644, name}, func([]byte) (int, error) { t.Errorf("%v: %s was read", mode, name); return 0, io.EOF }}, nil
		}}, nil)
	}
}

// Errors are no evidence, whatever they are.
func TestErrors(t *testing.T) {
	for _, err := range []error{fs.ErrPermission, fs.ErrNotExist, io.ErrUnexpectedEOF} {
		for name, fsys := range map[string]fs.FS{
			"lstat": odd{lstat: func(string) (fs.FileInfo, error) { return nil, err }},
			"open":  odd{lstat: odd{}.plain, open: func(string) (fs.File, error) { return nil, err }},
			"read": odd{lstat: odd{}.plain, open: func(name string) (fs.File, error) {
				return oddFile{info{0o444, name}, func([]byte) (int, error) { return 0, err }}, nil
			}},
		} {
			if got := Detect(fsys, nil); got.Detected() {
				t.Errorf("%s: %v: got %#v", name, err, got)
			}
		}
	}
	if got := Detect(nil, nil); got.Detected() || got.String() != "" {
		t.Errorf("no file system: got %#v", got)
	}
	if got := Detect(fstest.MapFS{}, nil); got.Detected() || got.Evidence != nil {
		t.Errorf("an empty one: got %#v", got)
	}
}

// The real thing: links, directories, loops and unreadable files under a directory on a disk.
func TestOddFilesOnDisk(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"proc/self/ns", "proc/1", "proc/sys/kernel", "run/systemd", "run/host", "proc/self/mountinfo"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	link := func(target, name string) {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	real := filepath.Join(dir, "real")
	if err := os.WriteFile(real, []byte("lxc\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	link(".dockerenv", ".dockerenv") // a loop
	link(real, "run/.containerenv")
	link(real, "run/systemd/container")
	link("nowhere", "proc/1/environ")
	link("pid:[x]", "proc/self/ns/pid")
	if got := Detect(os.DirFS(dir), nil); got.Detected() || len(got.Evidence) > 0 {
		t.Errorf("got %#v", got)
	}
}

// EACCES on pid 1's environment is the usual case for an ordinary user, and no reason to know less of the rest.
func TestOneFileUnreadable(t *testing.T) {
	for _, dir := range folders(t) {
		c := load(t, dir)
		for name := range c.fsys {
			if !strings.HasPrefix(name, "proc/1/") {
				continue
			}
			got := Detect(odd{FS: c.fsys, lstat: c.fsys.Lstat, open: func(n string) (fs.File, error) {
				if n == name {
					return nil, &fs.PathError{Op: "open", Path: n, Err: fs.ErrPermission}
				}
				return c.fsys.Open(n)
			}}, c.env)
			if want := answers[dir].Info; got.Runtime != want.Runtime || got.ID != want.ID || got.Rootless != want.Rootless || got.Confidence != want.Confidence {
				t.Errorf("%s without %s: got %#v", dir, name, got)
			}
		}
	}
}
