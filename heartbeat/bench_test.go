package heartbeat

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

type counted struct{ n *atomic.Int64 }

func (c counted) Touch() error              { c.n.Add(1); return nil }
func (c counted) Mtime() (time.Time, error) { return epoch.Add(time.Duration(c.n.Add(1))), nil }

// A steppedClock moves when the benchmark says so.
type steppedClock struct{ now atomic.Int64 }

func (c *steppedClock) Mono() time.Duration { return time.Duration(c.now.Load()) }
func (c *steppedClock) Boot() time.Duration { return time.Duration(c.now.Load()) }

// One second of 10,000 locks that beat once a second, each woken for on its own: the scheduler's share, without a file
// system and without the wait.
func Benchmark10000Beats(b *testing.B) {
	const n = 10_000
	c := &steppedClock{}
	s := New(c)
	var k atomic.Int64
	var bs []*Beat
	for range n {
		bs = append(bs, s.Start("m", counted{&k}, usual, 0, epoch, Events{}))
	}
	second := func() {
		k.Store(0)
		for range n {
			c.now.Add(int64(time.Second / n))
			s.onBeats()
		}
		for k.Load() < n*9/10 { // the last ones may still be under way
			runtime.Gosched()
		}
	}
	second() // with everybody's first read-back
	b.ReportAllocs()
	for b.Loop() {
		second()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/beat")
	for _, x := range bs {
		x.Stop()
	}
}

// What an uncontended lock pays for its heartbeat when it is released before the first beat.
func BenchmarkStartStop(b *testing.B) {
	s := New(realClock{time.Now()})
	var k atomic.Int64
	b.ReportAllocs()
	for b.Loop() {
		s.Start("m", counted{&k}, usual, s.clock.Boot(), epoch, Events{}).Stop()
	}
}

// The same while 10,000 others are held.
func BenchmarkStartStopAmong10000(b *testing.B) {
	s := New(realClock{time.Now()})
	var k atomic.Int64
	var bs []*Beat
	for range 10_000 {
		bs = append(bs, s.Start("m", counted{&k}, usual, s.clock.Boot(), epoch, Events{}))
	}
	b.ReportAllocs()
	for b.Loop() {
		s.Start("m", counted{&k}, usual, s.clock.Boot(), epoch, Events{}).Stop()
	}
	for _, x := range bs {
		x.Stop()
	}
}
