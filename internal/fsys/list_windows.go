package fsys

import (
	"encoding/binary"
	"unsafe"

	"golang.org/x/sys/windows"
)

func (d *dir) List() ([]Entry, error) {
	if err := d.open("list", ""); err != nil {
		return nil, err
	}
	h := d.h
	if d.listed {
		// A handle may keep what its first listing saw, restarted or not; on a network it is the fresher answer besides.
		var err error
		if h, err = open(d.path, windows.FILE_LIST_DIRECTORY); err != nil {
			return nil, pathError("list", d.path, err)
		}
		defer windows.CloseHandle(h)
	}
	d.listed = true
	// uint64s, since the system wants the buffer aligned.
	buf := make([]uint64, 1<<10)
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&buf[0])), 8*len(buf))
	var list []Entry
	class := uint32(windows.FileFullDirectoryRestartInfo) // from the start
	for {
		err := windows.GetFileInformationByHandleEx(h, class, &bytes[0], uint32(len(bytes)))
		if err == windows.ERROR_NO_MORE_FILES || class == windows.FileFullDirectoryRestartInfo && err == windows.ERROR_FILE_NOT_FOUND {
			return list, nil // the latter in an empty root directory
		}
		if err == nil {
			list, err = appendEntries(list, bytes)
		}
		if err != nil {
			return nil, pathError("list", d.path, err)
		}
		class = windows.FileFullDirectoryInfo
	}
}

// appendEntries parses a chain of FILE_FULL_DIR_INFO. One that does not add up makes the listing fail, since a listing that
// lacks a name is worse than none.
func appendEntries(list []Entry, buf []byte) ([]Entry, error) {
	const attributesAt, lengthAt, tagAt, nameAt = 56, 60, 64, 68
	for {
		if len(buf) < nameAt {
			return nil, windows.ERROR_INVALID_DATA
		}
		next := binary.LittleEndian.Uint32(buf)
		length := binary.LittleEndian.Uint32(buf[lengthAt:])
		if uint64(length) > uint64(len(buf)-nameAt) || uint64(next) > uint64(len(buf)) || next != 0 && next < nameAt {
			return nil, windows.ERROR_INVALID_DATA
		}
		name16 := make([]uint16, length/2)
		for i := range name16 {
			name16[i] = binary.LittleEndian.Uint16(buf[nameAt+2*i:])
		}
		if name := windows.UTF16ToString(name16); name != "." && name != ".." {
			// For a reparse point the field of the extended attributes' size holds its tag.
			kind := kindOfAttributes(binary.LittleEndian.Uint32(buf[attributesAt:]), binary.LittleEndian.Uint32(buf[tagAt:]))
			list = append(list, Entry{Name: name, Kind: kind})
		}
		if next == 0 {
			return list, nil
		}
		buf = buf[next:]
	}
}
