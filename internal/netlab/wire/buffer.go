package wire

import (
	"bytes"
	"io"
	"sync"
)

// A Buffer keeps all that is written until it is read: a process whose output nobody reads yet goes on.
type Buffer struct {
	mu   sync.Mutex
	more sync.Cond
	data bytes.Buffer
	done bool
}

// NewBuffer returns an empty Buffer.
func NewBuffer() *Buffer {
	b := &Buffer{}
	b.more.L = &b.mu
	return b
}

// Write keeps data; it never fails.
func (b *Buffer) Write(data []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.more.Broadcast()
	return b.data.Write(data)
}

// End says that no more will come.
func (b *Buffer) End() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done = true
	b.more.Broadcast()
}

// Read waits for data and returns what there is; io.EOF at the end.
func (b *Buffer) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.data.Len() == 0 && !b.done && len(p) > 0 {
		b.more.Wait()
	}
	n, err := b.data.Read(p)
	if err == io.EOF && !b.done {
		err = nil // nothing was asked for
	}
	return n, err
}
