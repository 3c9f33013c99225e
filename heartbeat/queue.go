package heartbeat

import (
	"container/heap"
	"time"
)

// A queue is a heap of beats by one of their times. Each beat stands in a queue at most once and knows its place, so that
// Stop finds it among ten thousand.
type queue struct {
	items []*Beat
	key   func(*Beat) time.Duration
	place func(*Beat) *int // 1 + index in items; 0: not in here
}

func (q *queue) first() *Beat {
	if len(q.items) == 0 {
		return nil
	}
	return q.items[0]
}

func (q *queue) add(b *Beat) { heap.Push(q, b) }

// moved restores the order after b's key changed.
func (q *queue) moved(b *Beat) {
	if i := *q.place(b); i > 0 {
		heap.Fix(q, i-1)
	}
}

func (q *queue) drop(b *Beat) {
	if i := *q.place(b); i > 0 {
		heap.Remove(q, i-1)
	}
}

// Len, Less, Swap, Push and Pop are for package heap.
func (q *queue) Len() int { return len(q.items) }

// Less breaks ties by the order of Start: a simulation must not depend on the shape of the heap.
func (q *queue) Less(i, j int) bool {
	a, b := q.items[i], q.items[j]
	if ka, kb := q.key(a), q.key(b); ka != kb {
		return ka < kb
	}
	return a.seq < b.seq
}

func (q *queue) Swap(i, j int) {
	q.items[i], q.items[j] = q.items[j], q.items[i]
	*q.place(q.items[i]), *q.place(q.items[j]) = i+1, j+1
}

func (q *queue) Push(x any) {
	b := x.(*Beat)
	q.items = append(q.items, b)
	*q.place(b) = len(q.items)
}

func (q *queue) Pop() any {
	n := len(q.items) - 1
	b := q.items[n]
	q.items[n] = nil // or a stopped lock is kept alive by the array
	q.items = q.items[:n]
	*q.place(b) = 0
	return b
}
