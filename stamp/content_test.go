package stamp

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func sampleContent() Content {
	c := sampleStamp().Content("db-1")
	c.Program, c.Container, c.Note = "backup", "docker", "<nightly> & more"
	c.Since = time.Date(2026, 1, 2, 3, 4, 5, 6000000, time.UTC)
	return c
}

func TestContentForPeople(t *testing.T) {
	const want = `{"version":1,"token":"` + sampleName + `","pid":4711,"host":"db-1",` +
		`"uuid":"01234567-89ab-cdef-0123-456789abcdef","boot":"00112233445566778899aabbccddeeff","pidns":4026531836,` +
		`"program":"backup","container":"docker","note":"<nightly> & more","since":"2026-01-02T03:04:05.006Z"}` + "\n"
	if got := string(sampleContent().Encode()); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got, err := DecodeContent([]byte(want)); err != nil || got != sampleContent() {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestContentHostIsLossless(t *testing.T) {
	for host, plain := range map[string]bool{
		"db-1": true, "": true, "Zürich 日本": true, "a\"b\\c<&>": true, "\ufffd": true,
		"\xff": false, "a\x00b": false, "a\nb": false, "\x1b[31m": false, "\x7f": false, "a\u202eb": false,
		strings.Repeat("\xfe", 255): false, strings.Repeat("é", 127): true,
	} {
		c := sampleContent()
		c.Host = host
		data := c.Encode()
		got, err := DecodeContent(data)
		if err != nil || got != c {
			t.Errorf("%q became %q, %v", host, got.Host, err)
		}
		var raw map[string]any
		if err := json.Unmarshal(data, &raw); err != nil {
			t.Fatal(err)
		}
		if _, coded := raw["host_base64"]; coded == plain {
			t.Errorf("%q: host_base64 %v", host, coded)
		}
		if shown := raw["host"].(string); shown != readable(shown) || plain && shown != host || len(host) > 0 && shown == "" {
			t.Errorf("%q is shown as %q", host, shown)
		}
	}
}

func TestContentAlwaysFits(t *testing.T) {
	long := strings.Repeat("a", 10*MaxContent)
	c := sampleContent()
	c.Note = long
	data := c.Encode()
	got, err := DecodeContent(data)
	if err != nil || len(data) != MaxContent || got.Program != c.Program || got.Container != c.Container || !strings.HasPrefix(long, got.Note) {
		t.Fatalf("%d bytes: %v", len(data), err)
	}
	c.Note = strings.Repeat("\x01é", MaxContent)
	if got, err = DecodeContent(c.Encode()); err != nil || len(got.Note) < 1000 || !strings.HasPrefix(c.Note, got.Note) || !utf8.ValidString(got.Note) {
		t.Fatalf("note %q: %v", got.Note, err)
	}
	for shift := range 4 { // wherever the limit falls in a character
		c.Note = strings.Repeat("a", shift) + strings.Repeat("\U0001F512", MaxContent)
		if got, err = DecodeContent(c.Encode()); err != nil || len(got.Note) < 3000 || !strings.HasPrefix(c.Note, got.Note) {
			t.Fatalf("note %q: %v", got.Note, err)
		}
	}
	c.Note, c.Program = "n", long
	if got, err = DecodeContent(c.Encode()); err != nil || got.Note != "" || len(got.Program) < 3000 || got.Container != c.Container {
		t.Fatalf("%+v: %v", got, err)
	}
	c.Note, c.Program, c.Container = long, long, long
	if got, err = DecodeContent(c.Encode()); err != nil || got.Program != "" || len(got.Container) < 3000 {
		t.Fatalf("%+v: %v", got, err)
	}
	// What cannot be cut away fits by itself, and JSON's spellings are the longest there are.
	c.Token, c.Host = strings.Repeat("\x01", MaxContent), strings.Repeat("\xff", MaxContent)
	c.Version, c.PID, c.PIDNS = math.MinInt64, math.MinInt64, math.MaxUint64
	data = c.Encode()
	if got, err = DecodeContent(data); err != nil || len(data) > MaxContent || len(got.Host) != maxHost || len(got.Token) != MaxName {
		t.Fatalf("%d bytes: %+v, %v", len(data), got, err)
	}
	// A time that JSON has no spelling for is left out, not the whole content.
	c = sampleContent()
	for _, since := range []time.Time{{}, time.Unix(math.MaxInt64/2, 0), time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC), c.Since.In(time.FixedZone("x", 25*3600))} {
		c.Since = since
		if got, err := DecodeContent(c.Encode()); err != nil || got.PID != c.PID || !got.Since.IsZero() && !got.Since.Equal(since) {
			t.Errorf("%v became %v, %v", since, got.Since, err)
		}
	}
}

func TestScenario053Contents(t *testing.T) {
	whole := sampleContent().Encode()
	bad := map[string][]byte{
		"empty": {}, "one byte": {'x'}, "NUL": make([]byte, MaxContent), "null": []byte("null"), "array": []byte("[]"), "string": []byte(`"x"`), "number": []byte("7"),
		"BOM": append([]byte("\ufeff"), whole...), "trailing junk": append(bytes.Clone(whole), "{}"...),
		"huge": append(bytes.Clone(whole), bytes.Repeat([]byte(" "), MaxContent)...), "deep": []byte(`{"x":` + strings.Repeat("[", 4000)),
		"pid string": []byte(`{"pid":"12"}`), "pid fraction": []byte(`{"pid":1.5}`), "pid huge": []byte(`{"pid":1e30}`), "host number": []byte(`{"host":7}`),
		"uuid": []byte(`{"uuid":"x"}`), "boot": []byte(`{"boot":"00"}`), "since": []byte(`{"since":"yesterday"}`), "pidns negative": []byte(`{"pidns":-1}`),
		"base64": []byte(`{"host_base64":"!"}`), "note object": []byte(`{"note":{}}`),
	}
	for what, data := range bad {
		if got, err := DecodeContent(data); err == nil || got != (Content{}) {
			t.Errorf("%s: %+v, %v", what, got, err)
		}
	}
	for n := range len(whole) - 2 {
		if _, err := DecodeContent(whole[:n]); err == nil {
			t.Errorf("cut after %d bytes it was taken", n)
		}
	}
	for what, data := range map[string]string{
		"unknown keys": `{"pid":7,"x":{"y":[1]},"z":null}`, "twice": `{"pid":5,"pid":7}`, "CRLF": "{\r\n\"pid\":7\r\n}\r\n",
	} {
		if got, err := DecodeContent([]byte(data)); err != nil || got.PID != 7 {
			t.Errorf("%s: %+v, %v", what, got, err)
		}
	}
	if got, err := DecodeContent([]byte(`{}`)); err != nil || got != (Content{}) {
		t.Errorf("{}: %+v, %v", got, err)
	}
}

func TestContentRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bytes := func(n int, name string) string { return string(rapid.SliceOfN(rapid.Byte(), 0, n).Draw(t, name)) }
		c := sampleContent()
		c.Host, c.Note = bytes(maxHost, "host"), rapid.String().Draw(t, "note")
		c.Program, c.Container = rapid.String().Draw(t, "program"), rapid.String().Draw(t, "container")
		got, err := DecodeContent(c.Encode())
		if err != nil || got != c {
			t.Fatalf("\n got %+v\nwant %+v\n%v", got, c, err)
		}
	})
}

func FuzzDecodeContent(f *testing.F) {
	f.Add(sampleContent().Encode())
	f.Add([]byte(`{"host":"x","host_base64":"/w==","note":"\u0001\ud800","since":"2026-01-02T03:04:05+23:59"}`))
	f.Add([]byte(`{"PID":7,"pid":8,"note":"` + strings.Repeat(`\u0001`, 600) + `"}`))
	f.Add(make([]byte, MaxContent+1))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := DecodeContent(data)
		if err != nil {
			if c != (Content{}) {
				t.Fatalf("%+v with %v", c, err)
			}
			return
		}
		out := c.Encode()
		if len(out) > MaxContent || !json.Valid(out) {
			t.Fatalf("%d bytes: %s", len(out), out)
		}
		back, err := DecodeContent(out)
		if err != nil {
			t.Fatal(err)
		}
		if again := back.Encode(); !bytes.Equal(again, out) {
			t.Fatalf("\n%s\n%s", out, again)
		}
		if len(c.Host) <= maxHost && back.Host != c.Host {
			t.Fatalf("host %q became %q", c.Host, back.Host)
		}
	})
}
