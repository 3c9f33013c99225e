package proptest

import (
	"fmt"
	"strings"
	"time"
)

// Mount is the kind of file system that the hosts share.
type Mount uint8

// The kinds. The first has the most and the oldest caches.
const (
	NFS3 Mount = iota
	NFS4
	SMB
	Local   // one kernel makes every change: ext4, tmpfs, a bind mount into containers
	NFS4New // NFS4 between newer kernels, which leave a file with its times to the host that makes it
)

var mountNames = []string{"nfs3", "nfs4", "smb", "local", "nfs4new"}

func (m Mount) String() string { return mountNames[m] }

// Config says what a world is like. The zero value is the harshest: the mount with the most caches, mtimes as coarse as the
// coarsest server's, and calls that take no time, so that everything can happen at one instant.
type Config struct {
	Mount   Mount
	Usual   bool          // mounted with the default options; else with actimeo=600, on SMB 30: what a client was told it keeps for so long
	Fine    bool          // mtimes are exact; else they move in steps of 10 ms
	Latency time.Duration // how long each call takes when calls are let go on by themselves
}

// tick is the granularity of the server's mtimes.
func (c Config) tick() time.Duration {
	if c.Fine {
		return 0
	}
	return 10 * time.Millisecond
}

// String is the configuration in words, for [ParseConfig].
func (c Config) String() string {
	words := []string{c.Mount.String()}
	if c.Usual {
		words = append(words, "usual")
	}
	if c.Fine {
		words = append(words, "fine")
	}
	if c.Latency != 0 {
		words = append(words, "latency="+c.Latency.String())
	}
	return strings.Join(words, " ")
}

// ParseConfig reads what String wrote, as it stands after "world" in a script.
func ParseConfig(text string) (Config, error) {
	var c Config
	for word := range strings.FieldsSeq(text) {
		d, isLatency := strings.CutPrefix(word, "latency=")
		switch {
		case word == "usual":
			c.Usual = true
		case word == "fine":
			c.Fine = true
		case isLatency:
			var err error
			if c.Latency, err = time.ParseDuration(d); err != nil {
				return c, fmt.Errorf("proptest: world %q: %w", text, err)
			}
		default:
			m, ok := parseMount(word)
			if !ok {
				return c, fmt.Errorf("proptest: world %q: what is %q?", text, word)
			}
			c.Mount = m
		}
	}
	return c, nil
}

func parseMount(word string) (Mount, bool) {
	for i, name := range mountNames {
		if name == word {
			return Mount(i), true
		}
	}
	return 0, false
}
