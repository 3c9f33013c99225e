package stamp

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

var (
	// ErrForeign says that a name is not a stamp's and none of our business:
	// it lacks the prefix, or it is Vacant.
	ErrForeign = errors.New("stamp: not a stamp")

	// ErrFormat says that a name has the prefix of a stamp but cannot be read
	// as one: nobody who follows the protocol wrote it.
	ErrFormat = errors.New("stamp: not in the format of a stamp")
)

// fields is how many fields the names of all versions have.
const fields = 14

// Name returns the name of the stamp's file. The label is cut so that the name
// has no more than MaxName bytes; should even the shortest one not fit, which
// takes namespace numbers beyond 32 bits, the time namespace is given as
// unknown: that can hide a proof of death, never make one. Times are cut to
// whole milliseconds.
//
// A stamp without a UUID, with a PID, Group or Version out of range has a name
// that Parse refuses.
func (s Stamp) Name() string {
	head := s.head()
	if len(head)+1+len(s.more) > MaxName {
		s.TimeNS = 0
		head = s.head()
	}
	label := Label(s.Label)
	room := max(1, MaxName-len(head)-len(s.more))
	return head + label[:min(len(label), room)] + s.more
}

// head is the name up to and with the dot before the label.
func (s Stamp) head() string {
	clock := byte('u')
	if s.Clock == ClockFS || s.Clock == ClockHolder || s.Version > Version && isLetter(byte(s.Clock)) {
		clock = byte(s.Clock)
	}
	b := make([]byte, 0, MaxName+40)
	b = append(b, Prefix...)
	b = append(strconv.AppendInt(b, int64(s.Version), 10), '.')
	b = append(hex.AppendEncode(b, s.UUID[:]), '.')
	b = append(strconv.AppendInt(b, int64(s.PID), 10), '.')
	b = append(strconv.AppendUint(b, s.Start, 36), '.')
	b = append(hex.AppendEncode(b, s.Boot[:]), '.')
	b = append(strconv.AppendUint(b, s.PIDNS, 10), '.')
	b = append(strconv.AppendUint(b, s.TimeNS, 10), '.')
	b = append(strconv.AppendInt(b, int64(s.Group), 10), '.')
	b = append(strconv.AppendUint(b, s.GroupStart, 36), '.')
	b = append(strconv.AppendInt(b, max(0, s.Heartbeat.Milliseconds()), 10), '.')
	b = append(strconv.AppendInt(b, max(0, s.Stale.Milliseconds()), 10), '.')
	b = append(b, clock, '.')
	var hash [8]byte
	binary.BigEndian.PutUint64(hash[:], s.HostHash)
	b = append(hex.AppendEncode(b, hash[:]), '.')
	return string(b)
}

// Parse reads a stamp's name. It is strict: for a stamp of any version that it
// returns, Name gives the same name again, byte for byte. The error is
// ErrForeign or ErrFormat, the latter with the reason.
//
// A later version than ours is no error; its stamp is not Known. Times out of
// range are none either, see Bounds.
func Parse(name string) (Stamp, error) {
	rest, ok := strings.CutPrefix(name, Prefix)
	if !ok || name == Vacant {
		return Stamp{}, ErrForeign
	}
	if len(name) > MaxName {
		return Stamp{}, fmt.Errorf("%w: %d bytes long", ErrFormat, len(name))
	}
	if strings.ToLower(rest) != rest { // the numbers would be taken all the same
		return Stamp{}, fmt.Errorf("%w: not in lower case", ErrFormat)
	}
	f := strings.SplitN(rest, ".", fields+1)
	if len(f) < fields {
		return Stamp{}, fmt.Errorf("%w: %d fields", ErrFormat, len(f))
	}
	p := parser{}
	s := Stamp{
		Version:    int(p.number("version", f[0], 10, 1, math.MaxInt32)),
		UUID:       uuid.UUID(p.bytes("uuid", f[1])),
		PID:        int(p.number("pid", f[2], 10, 1, math.MaxInt32)),
		Start:      p.number("start", f[3], 36, 0, math.MaxUint64),
		Boot:       Boot(p.bytes("boot", f[4])),
		PIDNS:      p.number("pidns", f[5], 10, 0, math.MaxUint64),
		TimeNS:     p.number("timens", f[6], 10, 0, math.MaxUint64),
		Group:      int(p.number("group", f[7], 10, 0, math.MaxInt32)),
		GroupStart: p.number("groupstart", f[8], 36, 0, math.MaxUint64),
		Heartbeat:  p.milliseconds("heartbeat", f[9]),
		Stale:      p.milliseconds("stale", f[10]),
		HostHash:   p.hash("hosthash", f[12]),
		Label:      p.label(f[13]),
	}
	s.Clock = p.clock(f[11], s.Version)
	if s.Group == 1 { // no process can be asked about it: kill(-1) means everybody
		p.fail("group", f[7])
	}
	if s.UUID == uuid.Nil {
		p.fail("uuid", f[1])
	}
	if len(f) > fields {
		s.more = p.more(f[fields], s.Version)
	}
	if p.err != nil {
		return Stamp{}, p.err
	}
	return s, nil
}

// parser keeps the first field that is wrong. Its methods accept a field only
// in the one spelling that Name gives it, but for capitals.
type parser struct{ err error }

func (p *parser) fail(field, text string) {
	if p.err == nil {
		p.err = fmt.Errorf("%w: %s %q", ErrFormat, field, text)
	}
}

func (p *parser) number(field, text string, base int, least, most uint64) uint64 {
	n, err := strconv.ParseUint(text, base, 64)
	// ParseUint also takes leading zeros.
	if err != nil || n < least || n > most || text[0] == '0' && len(text) > 1 {
		p.fail(field, text)
		return 0
	}
	return n
}

func (p *parser) milliseconds(field, text string) time.Duration {
	const most = math.MaxInt64 / uint64(time.Millisecond)
	return time.Duration(p.number(field, text, 10, 0, most)) * time.Millisecond
}

func (p *parser) bytes(field, text string) (b [16]byte) {
	if len(text) == 2*len(b) {
		if _, err := hex.Decode(b[:], []byte(text)); err == nil {
			return b
		}
	}
	p.fail(field, text)
	return [16]byte{}
}

func (p *parser) hash(field, text string) uint64 {
	n, err := strconv.ParseUint(text, 16, 64)
	if err != nil || len(text) != 16 {
		p.fail(field, text)
	}
	return n
}

func (p *parser) label(text string) string {
	if Label(text) != text {
		p.fail("label", text)
	}
	return text
}

// clock takes any letter or digit from a later version: a holder that we
// understand in all else must not count as corrupt for that, since a corrupt
// stamp is not protected by its living process.
func (p *parser) clock(text string, version int) ClockSource {
	switch {
	case text == "u":
		return ClockUnknown
	case text == "f", text == "h", version > Version && len(text) == 1 && isLetter(text[0]):
		return ClockSource(text[0])
	}
	p.fail("clock", text)
	return ClockUnknown
}

func (p *parser) more(text string, version int) string {
	ok := version > Version
	for _, c := range []byte(text) {
		ok = ok && (isLetter(c) || c == '.' || c == '_' || c == '-')
	}
	if !ok {
		p.fail("field after the label", text)
	}
	return "." + text
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }
