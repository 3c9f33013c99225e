// Package wire is how a test talks to the lab's agents: one connection for each process that it starts, over which the
// process's input, output, signals and end go. There is no other request: whatever else is wanted of a host is a command.
package wire

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// A Request is the first thing said on a connection, as JSON in a frame of kind Ask.
type Request struct {
	// Dial is the address of another agent to be connected to. Nothing else is asked of the one that hears it; what
	// follows goes to and from there.
	Dial string `json:",omitzero"`

	Args []string `json:",omitzero"`
	Env  []string `json:",omitzero"` // beside the agent's own
}

// Kinds of frames. Of the first group the test is the sender, of the second the agent.
const (
	Ask    = 'a' // a Request
	Input  = 'i' // for the process's standard input; empty: no more of it
	Signal = 's' // one byte, the signal's number
	Kill   = 'k' // SIGKILL for its process group

	Started = 'p' // the process runs; its pid in decimal
	Output  = 'o' // standard output
	Errors  = 'e' // standard error
	Exit    = 'x' // its exit code in decimal, 128 and more for signals; the last frame
	Failure = 'f' // it could not be started; the last frame
)

// maxFrame bounds what a frame may claim to hold.
const maxFrame = 1 << 20

// A Writer writes frames whole, from any goroutine.
type Writer struct {
	mu sync.Mutex
	w  io.Writer
}

// NewWriter returns a Writer that writes to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Frame writes one frame, of at most 1 MiB.
func (w *Writer) Frame(kind byte, payload []byte) error {
	if len(payload) > maxFrame {
		return fmt.Errorf("a frame of %d bytes", len(payload))
	}
	head := binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(payload)))
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.w.Write(append(head, payload...))
	return err
}

// Ask writes a request.
func (w *Writer) Ask(r Request) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return w.Frame(Ask, text)
}

// ReadFrame reads one frame.
func ReadFrame(r io.Reader) (kind byte, payload []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n > maxFrame {
		return 0, nil, fmt.Errorf("a frame that says it has %d bytes", n)
	}
	payload = make([]byte, n)
	_, err = io.ReadFull(r, payload)
	return head[0], payload, err
}

// ReadRequest reads the first frame of a connection.
func ReadRequest(r io.Reader) (Request, error) {
	kind, payload, err := ReadFrame(r)
	if err != nil {
		return Request{}, err
	}
	var req Request
	if kind != Ask {
		return req, fmt.Errorf("a connection that begins with %q", kind)
	}
	err = json.Unmarshal(payload, &req)
	return req, err
}
