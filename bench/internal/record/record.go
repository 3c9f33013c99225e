// Package record is what the benchmarks leave behind: one line of JSON for each row that was measured, appended to a file that
// is never rewritten.
package record

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
)

// Tests whose records are not measurements: what was measured where, and by which version of which peer.
const (
	Run  = "run"
	Peer = "peer"
)

// A Record is one row of one test: a peer, with a profile of settings, on a file system.
type Record struct {
	Run     string // which run of the driver it belongs to
	Test    string
	Peer    string `json:",omitzero"`
	Profile string `json:",omitzero"`
	FS      string `json:",omitzero"` // the file system's kind, such as ext4
	Variant string `json:",omitzero"` // what else tells rows of one test apart: "30s", "32"

	Samples []int64            `json:",omitempty"` // in ns unless the test says otherwise; Never for what did not happen in time
	Floor   []int64            `json:",omitempty"` // the floor's samples, taken in turns with Samples
	N       map[string]float64 `json:",omitempty"` // figures that are not samples
	Info    map[string]string  `json:",omitempty"` // of Run and Peer
	Failed  string             `json:",omitzero"`  // why there is no measurement, or no whole one
	Load    float64            `json:",omitzero"`  // the machine's load average when the row was done
}

// Never is the sample of something that did not happen within its limit.
const Never = -1

// Key is what tells rows of one run apart.
type Key struct{ Test, Peer, Profile, FS, Variant string }

// Key returns the record's.
func (r Record) Key() Key { return Key{r.Test, r.Peer, r.Profile, r.FS, r.Variant} }

// A Log appends records to a file. It may be used by many goroutines at once.
type Log struct {
	mu   sync.Mutex
	file *os.File
	run  string
}

// Create opens the file for appending; each record will bear the run's name.
func Create(path, run string) (*Log, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	return &Log{file: f, run: run}, nil
}

// Add appends one record as one line.
func (l *Log) Add(r Record) error {
	r.Run = l.run
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err = l.file.Write(append(line, '\n'))
	return err
}

// Name is the file's.
func (l *Log) Name() string { return l.file.Name() }

// Close closes the file.
func (l *Log) Close() error { return l.file.Close() }

// Read reads all records. A line that is no record is an error that names it.
func Read(in io.Reader) ([]Record, error) {
	var all []Record
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	for n := 1; lines.Scan(); n++ {
		var r Record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if r.Run == "" || r.Test == "" {
			return nil, fmt.Errorf("line %d: a record without a run or a test", n)
		}
		all = append(all, r)
	}
	return all, lines.Err()
}
