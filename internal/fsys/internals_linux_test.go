package fsys

import (
	"encoding/binary"
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestWithoutStatx: the suite's tests of Stat are run against both calls, whose answers must be the same.
func TestWithoutStatx(t *testing.T) {
	defer noStatx.Store(noStatx.Load())
	dir := t.TempDir()
	for path, make := range map[string]func(string) error{
		dir + "/dir":  func(p string) error { return os.Mkdir(p, 0o755|os.ModeSetgid) },
		dir + "/file": func(p string) error { return os.WriteFile(p, []byte("12345"), 0o600) },
		dir + "/link": func(p string) error { return os.Symlink("file", p) },
		dir + "/fifo": func(p string) error { return unix.Mkfifo(p, 0o644) },
		"/dev/shm":    func(string) error { return nil }, // with a device number in the high bits, if any
	} {
		if err := make(path); err != nil {
			t.Fatal(err)
		}
		var got [2]Info
		for i, without := range []bool{false, true} {
			noStatx.Store(without)
			var err error
			if got[i], err = OS().Stat(path); err != nil {
				t.Fatal(err)
			}
		}
		if got[0] != got[1] {
			t.Errorf("%s: statx says %+v, fstatat %+v", path, got[0], got[1])
		}
	}
	for _, without := range []bool{false, true} {
		noStatx.Store(without)
		d, err := OS().OpenDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		self, err := d.Info()
		if path, err2 := OS().Stat(dir); err != nil || err2 != nil || self != path {
			t.Errorf("by descriptor %+v, %v, by path %+v, %v", self, err, path, err2)
		}
		d.Close()
		if _, err := OS().Stat(dir + "/missing"); !Is(err, NotExist) {
			t.Error(err)
		}
	}
}

// TestMountOfDevice: where a file system has one device number, the identifier is that one.
func TestMountOfDevice(t *testing.T) {
	for _, path := range []string{"/", "/proc/self", "/dev/shm", t.TempDir(), "/sys", "/dev/pts"} {
		traits, err := OS().Traits(path)
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("%d:%d", unix.Major(traits.Dev), unix.Minor(traits.Dev))
		if got := OS().Mount(path + "/not/there"); got != want {
			t.Errorf("%s is on %q, its device is %q", path, got, want)
		}
	}
}

func dirent(name string, kind byte) []byte {
	rec := make([]byte, (19+len(name)+1+7)/8*8)
	binary.NativeEndian.PutUint16(rec[16:], uint16(len(rec)))
	rec[18] = kind
	copy(rec[19:], name)
	return rec
}

func TestTornListing(t *testing.T) {
	whole := append(append(append(dirent(".", unix.DT_DIR), dirent("file", unix.DT_REG)...), dirent("..", unix.DT_DIR)...),
		dirent("odd", unix.DT_UNKNOWN)...)
	list, err := appendEntries(nil, whole)
	if err != nil || len(list) != 2 || list[0] != (Entry{"file", KindRegular}) || list[1] != (Entry{"odd", KindUnknown}) {
		t.Errorf("%v, %v", list, err)
	}
	// A listing that lacks a name would be believed.
	for cut := 1; cut < len(whole); cut++ {
		if list, err := appendEntries(nil, whole[:cut]); err == nil && cut%24 != 0 {
			t.Errorf("cut to %d bytes it is still taken for %v", cut, list)
		}
	}
	endless := dirent("x", unix.DT_REG)
	binary.NativeEndian.PutUint16(endless[16:], 0)
	if list, err := appendEntries(nil, endless); err == nil {
		t.Errorf("a record of no length is taken for %v", list)
	}
}

func TestStrangers(t *testing.T) {
	st := unix.Statfs_t{Type: 0x1234, Namelen: 99, Flags: unix.ST_RDONLY}
	if got, want := traits(&st, 7), (Traits{Type: "0x1234", Dev: 7, NameMax: 99, ReadOnly: true}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := types[unix.FUSE_SUPER_MAGIC]; got != (Traits{Type: "fuse"}) {
		t.Errorf("%+v: FUSE promises nothing", got)
	}
	for magic, traits := range types {
		if traits.Local && traits.DeletePending || traits.Type == "" || (traits.Beats == ClockClient) != traits.DeletePending {
			t.Errorf("%x: %+v", magic, traits)
		}
	}
	// Some of the kernel's numbers come with their sign extended.
	if got := traits(&unix.Statfs_t{Type: -11317950}, 0); got.Type != "cifs" {
		t.Errorf("%+v", got)
	}
}
