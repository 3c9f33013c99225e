package fsys

import (
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

// Traits asks about the volume. A disk of this machine's is local, since what others do to it by a share goes through this
// kernel, too. Times are always this host's, see [OS].
func (osFS) Traits(path string) (Traits, error) {
	t, err := traitsOf(path)
	if err != nil {
		return Traits{}, pathError("statfs", path, err)
	}
	return t, nil
}

func traitsOf(path string) (Traits, error) {
	h, err := open(path, windows.FILE_READ_ATTRIBUTES)
	if err != nil {
		return Traits{}, err
	}
	defer windows.CloseHandle(h)
	var serial, longest, flags uint32
	var kind, root [windows.MAX_PATH + 1]uint16
	err = windows.GetVolumeInformationByHandle(h, nil, 0, &serial, &longest, &flags, &kind[0], uint32(len(kind)))
	if err != nil {
		return Traits{}, err
	}
	p, err := native(path)
	if err != nil {
		return Traits{}, err
	}
	t := Traits{
		Type: strings.ToLower(windows.UTF16ToString(kind[:])), Beats: ClockClient, DeletePending: true,
		Dev: uint64(serial), NameMax: int(longest), ReadOnly: flags&windows.FILE_READ_ONLY_VOLUME != 0,
	}
	if windows.GetVolumePathName(p, &root[0], uint32(len(root))) == nil {
		switch windows.GetDriveType(&root[0]) {
		case windows.DRIVE_FIXED, windows.DRIVE_REMOVABLE, windows.DRIVE_RAMDISK:
			t.Local = true
		}
	}
	return t, nil
}

// Mount answers with the drive or the share.
func (osFS) Mount(path string) string { return strings.ToUpper(filepath.VolumeName(path)) }

func (osFS) Mounts() uint64 { return 0 }

func (osFS) Near(string) (string, bool, bool) { return "", false, false } // not known
