package stamp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
)

// maxHost is the most of a host name that a content keeps: POSIX allows 255 bytes.
const maxHost = 255

// Content is what stands in a stamp's file, for people who look at a lock. No
// decision reads it: it may be missing, cut short or of another owner.
//
// Program, Container and Note are free text by whoever made the lock: quote
// them before they reach a terminal.
type Content struct {
	Version   int       // of the stamp
	Token     string    // the stamp's name
	PID       int       // in its own pid namespace
	Host      string    // host name, byte for byte, up to 255 bytes
	UUID      uuid.UUID // as in the name
	Boot      Boot      // as in the name
	PIDNS     uint64    // as in the name
	Program   string    // what runs
	Container string    // what it runs in, empty if in none that is known
	Note      string    // the caller's
	Since     time.Time // when the lock was acquired, by the holder's clock
}

// Content returns the content that goes with the stamp, with the host name in
// full; what only the caller knows is left empty.
func (s Stamp) Content(host string) Content {
	return Content{
		Version: s.Version, Token: s.Name(), PID: s.PID, Host: host,
		UUID: s.UUID, Boot: s.Boot, PIDNS: s.PIDNS,
	}
}

// wire is the JSON form.
type wire struct {
	Version   int       `json:"version"`
	Token     string    `json:"token"`
	PID       int       `json:"pid"`
	Host      string    `json:"host"`
	HostBytes string    `json:"host_base64,omitzero"` // only where Host cannot be exact
	UUID      uuid.UUID `json:"uuid"`
	Boot      Boot      `json:"boot"`
	PIDNS     uint64    `json:"pidns"`
	Program   string    `json:"program,omitzero"`
	Container string    `json:"container,omitzero"`
	Note      string    `json:"note,omitzero"`
	Since     time.Time `json:"since,omitzero"`
}

// Encode returns the content as one JSON object, valid and of at most
// MaxContent bytes whatever the fields hold: where it is too long, the note is
// cut, then the program, then the container. A host name that is not plain
// UTF-8 text stands in "host_base64" exactly, and in "host" for reading.
func (c Content) Encode() []byte {
	w := wire{
		Version: c.Version, Token: cut(c.Token, MaxName), PID: c.PID, Host: c.Host[:min(len(c.Host), maxHost)],
		UUID: c.UUID, Boot: c.Boot, PIDNS: c.PIDNS,
		Program: c.Program, Container: c.Container, Note: c.Note,
	}
	if plain := readable(w.Host); plain != w.Host {
		w.Host, w.HostBytes = plain, base64.StdEncoding.EncodeToString([]byte(w.Host))
	}
	// UTC, and only years that JSON can say: Encode has no way to fail.
	if t := c.Since.UTC(); t.Year() >= 0 && t.Year() <= 9999 {
		w.Since = t
	}
	for _, field := range []*string{&w.Note, &w.Program, &w.Container} {
		if text := w.encode(); len(text) <= MaxContent {
			return text
		}
		*field = cut(*field, MaxContent) // bounds the work below
		whole := *field
		*field = cut(whole, sort.Search(len(whole), func(n int) bool {
			*field = cut(whole, n+1)
			return len(w.encode()) > MaxContent
		}))
	}
	return w.encode()
}

func (w wire) encode() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(w); err != nil {
		return []byte("{}\n") // not reached: no field of wire can fail
	}
	return b.Bytes()
}

// DecodeContent reads what Encode wrote. Unknown keys are skipped; of a key
// that comes twice the last one counts; anything that is longer than
// MaxContent, not a JSON object or of a wrong type is an error.
func DecodeContent(data []byte) (Content, error) {
	if len(data) > MaxContent {
		return Content{}, fmt.Errorf("stamp: content longer than %d bytes", MaxContent)
	}
	// Unmarshal takes null for an empty object.
	if !bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{")) {
		return Content{}, errors.New("stamp: content is not a JSON object")
	}
	var w wire
	if err := json.Unmarshal(data, &w); err != nil {
		return Content{}, fmt.Errorf("stamp: content: %w", err)
	}
	if w.HostBytes != "" {
		host, err := base64.StdEncoding.DecodeString(w.HostBytes)
		if err != nil {
			return Content{}, fmt.Errorf("stamp: content: host_base64: %w", err)
		}
		w.Host = string(host)
	}
	return Content{
		Version: w.Version, Token: w.Token, PID: w.PID, Host: w.Host,
		UUID: w.UUID, Boot: w.Boot, PIDNS: w.PIDNS,
		Program: w.Program, Container: w.Container, Note: w.Note, Since: w.Since,
	}, nil
}

// cut returns the first n bytes of s or a little less: no character is cut in two.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// readable returns s on one line that a terminal shows as it is: the bytes that
// are not UTF-8 and the characters that do not print become U+FFFD.
func readable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return utf8.RuneError
		}
		return r
	}, s)
}
