package kit

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// inside is the guarded section: alone is false if another holder is inside too.
func (s *session) inside() (alone bool, err error) {
	f, err := os.OpenFile(s.witness, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	f.Close()
	if s.section > 0 {
		time.Sleep(s.section)
	}
	// The file may be gone: when there are two holders, a third one may have come in and gone.
	if err := os.Remove(s.witness); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	return true, nil
}
