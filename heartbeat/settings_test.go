package heartbeat

import (
	"math"
	"testing"
	"time"
)

func TestSettingsValidate(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		s  Settings
		ok bool
	}{
		{Settings{time.Second, 30 * time.Second}, true},
		{Settings{10 * ms, 30 * ms}, true},
		{Settings{20 * time.Minute, time.Hour}, true},
		{Settings{}, false},
		{Settings{10*ms - 1, 30 * ms}, false},
		{Settings{-time.Second, 30 * time.Second}, false},
		{Settings{time.Second, 3*time.Second - 1}, false},
		{Settings{time.Second, -30 * time.Second}, false},
		{Settings{time.Second, time.Hour + 1}, false},
		{Settings{math.MaxInt64, time.Hour}, false}, // three of these overflow
		{Settings{math.MaxInt64, math.MaxInt64}, false},
		{Settings{6148914691236517206, time.Hour}, false}, // three of these make two
	} {
		if err := c.s.Validate(); (err == nil) != c.ok {
			t.Errorf("%+v: %v, want ok=%v", c.s, err, c.ok)
		}
	}
}

func TestLeaseArithmetic(t *testing.T) {
	for _, c := range []struct{ stale, margin, lease time.Duration }{
		{30 * time.Second, 10 * time.Second, 20 * time.Second},
		{2 * time.Second, 666666666, 2*time.Second - 666666666},
		{30 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond},
	} {
		s := Settings{Stale: c.stale}
		if s.Margin() != c.margin || s.Lease() != c.lease || s.Margin()+s.Lease() != c.stale {
			t.Errorf("stale %v: margin %v, lease %v", c.stale, s.Margin(), s.Lease())
		}
	}
}

func TestLeaseRenew(t *testing.T) {
	for _, c := range []struct {
		name           string
		from, sent, at time.Duration
		counts         bool
		end            time.Duration
	}{
		{"in time", 0, 1, 2, true, 11},
		{"answered at the last instant", 0, 1, 9, true, 11},
		{"answered at the end", 0, 1, 10, false, 10},
		{"answered after the end", 0, 9, 15, false, 10},
		{"sent before the lease began", 5, 1, 6, true, 15},
	} {
		l := lease{from: c.from, length: 10}
		if got := l.renew(c.sent, c.at); got != c.counts || l.end() != c.end {
			t.Errorf("%s: %v, end %v", c.name, got, l.end())
		}
	}
}
