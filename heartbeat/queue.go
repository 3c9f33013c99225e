package heartbeat

import (
	"container/heap"
	"time"
)

// A queue is a heap of beats by one of their times. Each beat stands in a queue at most once and knows its place, so that
// Stop finds it among ten thousand. While it stands there that time may only grow, which is noticed when it comes first: a lease that is
// renewed at every beat is put in its place once a lease, and not at every beat.
type queue struct {
	items []item
	key   func(*Beat) time.Duration
	place func(*Beat) *int // 1 + index in items; 0: not in here
}

// An item has its key beside the beat, so that a step through the heap of ten thousand does not fetch them all from memory.
type item struct {
	key time.Duration // the beat's, or what it was once
	b   *Beat
}

func (q *queue) first() *Beat {
	for len(q.items) > 0 {
		top := &q.items[0]
		now := q.key(top.b)
		if top.key == now {
			return top.b
		}
		top.key = now
		heap.Fix(q, 0)
	}
	return nil
}

func (q *queue) add(b *Beat) { heap.Push(q, item{q.key(b), b}) }

func (q *queue) drop(b *Beat) {
	if i := *q.place(b); i > 0 {
		heap.Remove(q, i-1)
	}
}

// Len, Less, Swap, Push and Pop are for package heap.
func (q *queue) Len() int { return len(q.items) }

// Less breaks ties by the order of Start: a simulation must not depend on the shape of the heap.
func (q *queue) Less(i, j int) bool {
	a, b := &q.items[i], &q.items[j]
	if a.key != b.key {
		return a.key < b.key
	}
	return a.b.seq < b.b.seq
}

func (q *queue) Swap(i, j int) {
	q.items[i], q.items[j] = q.items[j], q.items[i]
	*q.place(q.items[i].b), *q.place(q.items[j].b) = i+1, j+1
}

func (q *queue) Push(x any) {
	i := x.(item)
	q.items = append(q.items, i)
	*q.place(i.b) = len(q.items)
}

func (q *queue) Pop() any {
	n := len(q.items) - 1
	i := q.items[n]
	q.items[n] = item{} // or a stopped lock is kept alive by the array
	q.items = q.items[:n]
	*q.place(i.b) = 0
	return i
}
