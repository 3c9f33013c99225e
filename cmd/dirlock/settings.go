package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/pflag"
)

// A duration is a setting that a flag gives, else a variable of the environment, else is the default.
type duration struct {
	name     string // of the flag
	variable string
	value    time.Duration
	source   string // who said so, for messages
	forever  bool   // negative means for ever
}

// Set is what the flag calls.
func (d *duration) Set(s string) error {
	if err := d.parse(s); err != nil {
		return err
	}
	d.source = "--" + d.name
	return nil
}

// String is the default, for the help.
func (d *duration) String() string { return d.value.String() }

// Type is what the help calls the value.
func (*duration) Type() string { return "D" }

func (d *duration) parse(s string) error {
	value, err := time.ParseDuration(s)
	if err != nil && d.forever && s == "-1" {
		value, err = -1, nil
	}
	if err != nil {
		return errors.New("not a duration such as 500ms, 10s or 1m30s")
	}
	if value < 0 && !d.forever {
		return errors.New("negative")
	}
	d.value = value
	return nil
}

// fromEnvironment reads the variable unless the flag was given.
func (d *duration) fromEnvironment() error {
	s := os.Getenv(d.variable)
	if s == "" || d.source != "" {
		return nil
	}
	if err := d.parse(s); err != nil {
		return fmt.Errorf("invalid value %q of the environment variable %s: %w", s, d.variable, err)
	}
	d.source = d.variable
	return nil
}

// said is the value and who said so.
func (d *duration) said() string {
	if d.source == "" {
		return fmt.Sprintf("%s of %v (the default)", d.name, d.value)
	}
	return fmt.Sprintf("%s of %v (%s)", d.name, d.value, d.source)
}

// settings are those of the lock.
type settings struct{ wait, stale, heartbeat duration }

func defaults() settings {
	return settings{
		wait:      duration{name: "wait", variable: "DIRLOCK_WAIT", value: 10 * time.Second, forever: true},
		stale:     duration{name: "stale", variable: "DIRLOCK_STALE", value: 30 * time.Second},
		heartbeat: duration{name: "heartbeat", variable: "DIRLOCK_HEARTBEAT", value: time.Second},
	}
}

func (s *settings) flags(f *pflag.FlagSet) {
	f.Var(&s.wait, "wait", "how long to wait for the lock; 0: not at all, negative: for ever")
	f.Var(&s.stale, "stale", "silence after which a holder that no kernel answers for is taken over; at most 1h")
	f.Var(&s.heartbeat, "heartbeat", "how often to say that the lock is still held; at most a third of --stale")
}

// complete fills in what the environment says and checks what the lock would refuse, with the names that were used here.
func (s *settings) complete() error {
	for _, d := range []*duration{&s.wait, &s.stale, &s.heartbeat} {
		if err := d.fromEnvironment(); err != nil {
			return err
		}
	}
	switch {
	case s.heartbeat.value < 10*time.Millisecond:
		return fmt.Errorf("a %s is too short: at least 10ms", s.heartbeat.said())
	case s.heartbeat.value%time.Millisecond != 0:
		return fmt.Errorf("a %s is not a whole number of milliseconds", s.heartbeat.said())
	case s.stale.value%time.Millisecond != 0:
		return fmt.Errorf("a %s is not a whole number of milliseconds", s.stale.said())
	case s.stale.value > time.Hour:
		return fmt.Errorf("a %s is too long: at most 1h", s.stale.said())
	case s.stale.value < 3*s.heartbeat.value:
		return fmt.Errorf("a %s is less than 3 times the %s", s.stale.said(), s.heartbeat.said())
	}
	return nil
}
