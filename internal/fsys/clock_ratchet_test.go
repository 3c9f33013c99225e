package fsys

import (
	"testing"
	"time"
)

func TestRatchet(t *testing.T) {
	const s = time.Second
	var r ratchet
	for i, step := range []struct{ mono, wall, want time.Duration }{
		{5 * s, 1000 * s, 5 * s},                                   // begins as the monotonic one
		{6 * s, 1001 * s, 6 * s},                                   //
		{7 * s, 1002*s + s/2, 7 * s},                               // slewed
		{8 * s, 1103*s + s/2, 108 * s},                             // slept for 100 s
		{9 * s, 1104*s + s/2, 109 * s},                             //
		{10 * s, 500 * s, 110 * s},                                 // set back
		{11 * s, 502 * s, 112 * s},                                 // set forward by a second: counts
		{12 * s, 503*s - time.Millisecond, 113 * s},                //
		{12*s + s/2, 505 * s, 113*s + s/2 + 1501*time.Millisecond}, //
	} {
		if got := r.at(func() (mono, wall time.Duration) { return step.mono, step.wall }); got != step.want {
			t.Errorf("step %d: %v, want %v", i, got, step.want)
		}
	}
}
