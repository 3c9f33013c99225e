package stamp

import (
	"testing"
	"time"
)

// BenchmarkStamp is what an acquisition says of itself, and what it and its release read of that again.
func BenchmarkStamp(b *testing.B) {
	s := sampleStamp()
	c := s.Content("db-1")
	c.Program, c.Since = "program", time.Unix(1e9, 1e6)
	b.Run("Name", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.Name()
		}
	})
	b.Run("Parse", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Parse(sampleName); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Encode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			c.Encode()
		}
	})
}
