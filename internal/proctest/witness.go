package proctest

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
)

// A witness is one's own presence inside: a file that exists from entering to leaving.
type witness struct {
	path string
	file *os.File
	conn net.Conn // with a judge, instead of the file
}

// enter makes the file. An error means that somebody else is inside.
//
// One who was killed inside cannot take the file away. So it is kept locked with flock, which the kernel lets go of
// before anybody can learn of the death, and a file that nobody keeps locked belongs to nobody.
func enter(path, id string) (*witness, error) {
	if path == "" {
		return &witness{}, nil
	}
	if address, ok := strings.CutPrefix(path, judgeScheme); ok {
		return tell(address, id)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		if file, err = os.OpenFile(path, os.O_RDWR, 0); err != nil {
			return nil, fmt.Errorf("the witness was there and then went: %w", err)
		}
		if !alone(file) {
			other := make([]byte, 100)
			n, _ := file.ReadAt(other, 0)
			return nil, errors.Join(fmt.Errorf("%s is inside", strings.TrimSpace(string(other[:n]))), file.Close())
		}
	} else if err != nil {
		return nil, err
	} else if !alone(file) {
		return nil, errors.Join(errors.New("somebody locked the witness at its birth"), file.Close())
	}
	if err := file.Truncate(0); err != nil {
		return nil, err
	}
	_ = file.Chmod(0o666) // others may be other users; refused where it was a dead one's
	if _, err := file.WriteAt([]byte(id), 0); err != nil {
		return nil, err
	}
	return &witness{path: path, file: file}, nil
}

// leave takes the file away. An error means that somebody else did.
func (w *witness) leave() error {
	if w != nil && w.conn != nil {
		_, err := say(w.conn, "OUT")
		err = errors.Join(err, w.conn.Close())
		w.conn = nil
		return err
	}
	if w == nil || w.file == nil {
		return nil
	}
	err := errors.Join(os.Remove(w.path), w.file.Close())
	w.file = nil
	return err
}
