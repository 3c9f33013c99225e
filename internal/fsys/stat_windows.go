package fsys

import (
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Stat opens the file to look at it, which asks the server where there is one.
func (osFS) Stat(path string) (Info, error) {
	h, err := open(path, windows.FILE_READ_ATTRIBUTES)
	if err != nil {
		return Info{}, pathError("stat", path, err)
	}
	defer windows.CloseHandle(h)
	i, err := statHandle(h)
	if err != nil {
		return Info{}, pathError("stat", path, err)
	}
	return i, nil
}

func statHandle(h windows.Handle) (Info, error) {
	var d windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(h, &d); err != nil {
		return Info{}, err
	}
	i := Info{
		Kind: KindRegular, Mode: 0o666, Size: int64(d.FileSizeHigh)<<32 | int64(d.FileSizeLow),
		Mtime: time.Unix(0, d.LastWriteTime.Nanoseconds()), Nlink: uint64(d.NumberOfLinks),
		Dev: uint64(d.VolumeSerialNumber), Ino: uint64(d.FileIndexHigh)<<32 | uint64(d.FileIndexLow),
	}
	var tag uint32
	if d.FileAttributes&windows.FILE_ATTRIBUTE_REPARSE_POINT != 0 {
		var err error
		if tag, err = reparseTag(h); err != nil {
			return Info{}, err
		}
	}
	i.Kind = kindOfAttributes(d.FileAttributes, tag)
	if i.Kind == KindDir {
		i.Mode, i.Size = 0o777, 0
	} else if d.FileAttributes&windows.FILE_ATTRIBUTE_READONLY != 0 {
		i.Mode = 0o444
	}
	return i, nil
}

// kindOfAttributes: of the many reparse points only those that stand for another name are links; the others are files and
// directories that are kept elsewhere (cloud storage, deduplication).
func kindOfAttributes(attr, tag uint32) Kind {
	const nameSurrogate = 0x20000000
	switch {
	case attr&windows.FILE_ATTRIBUTE_REPARSE_POINT != 0 && tag&nameSurrogate != 0:
		return KindSymlink
	case attr&windows.FILE_ATTRIBUTE_DIRECTORY != 0:
		return KindDir
	case attr&windows.FILE_ATTRIBUTE_DEVICE != 0:
		return KindOther
	default:
		return KindRegular
	}
}

func reparseTag(h windows.Handle) (uint32, error) {
	var info struct{ attributes, tag uint32 } // FILE_ATTRIBUTE_TAG_INFO
	err := windows.GetFileInformationByHandleEx(h, windows.FileAttributeTagInfo, (*byte)(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	return info.tag, err
}
