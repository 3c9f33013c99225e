package stamp_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/aac6cccc/mkdirlock/stamp"
)

// A name says all that others must know to judge its owner.
func ExampleParse() {
	name := stamp.Stamp{
		Version: stamp.Version, UUID: uuid.MustParse("7d444840-9dc0-11d1-b245-5ffdce74fad2"),
		PID: 4711, Start: 123456, Boot: stamp.Boot{0xb0, 0x07}, PIDNS: 4026531836, TimeNS: 4026531834,
		Heartbeat: time.Second, Stale: 30 * time.Second, Clock: stamp.ClockFS,
		HostHash: stamp.HostHash("DB-1.example.org"), Label: stamp.Label("DB-1.example.org"),
	}.Name()

	s, err := stamp.Parse(name)
	fmt.Println(s.PID, s.Stale, s.Label, err)

	_, err = stamp.Parse("README")
	fmt.Println(errors.Is(err, stamp.ErrForeign))
	_, err = stamp.Parse("dirlock-1.junk")
	fmt.Println(errors.Is(err, stamp.ErrFormat))
	// Output:
	// 4711 30s db-1-example-org <nil>
	// true
	// true
}

// A holder that this kernel can still see is waited for, however long it has
// been silent; one on another host is silent for Stale at most.
func ExampleJudge() {
	holder := stamp.Stamp{Version: stamp.Version, PID: 4711, Heartbeat: time.Second, Stale: 30 * time.Second, Label: "db-1"}
	silent := stamp.Beat{Age: time.Minute, AgeKnown: true, Unchanged: 2 * time.Second}

	v := stamp.Judge(stamp.Case{
		Stamp: holder, SameHost: true, SameName: true, Beat: silent,
		Kernel: stamp.Evidence{Answer: stamp.Alive, How: "kill: EPERM"},
	})
	fmt.Println(v.Takeover, v.Reason)

	v = stamp.Judge(stamp.Case{Stamp: holder, Beat: silent})
	fmt.Println(v.Takeover, v.Wait)
	// Output:
	// false pid 4711 on this host is alive (kill: EPERM), its last heartbeat was 1m0s ago: paused is not dead
	// false 4s
}

// Contents are read by people only, and survive whatever they hold.
func ExampleDecodeContent() {
	data := stamp.Content{PID: 4711, Host: "caf\xe9", Program: "backup"}.Encode()
	c, err := stamp.DecodeContent(data)
	fmt.Printf("%d %q %s %v\n", c.PID, c.Host, c.Program, err)
	// Output: 4711 "caf\xe9" backup <nil>
}
