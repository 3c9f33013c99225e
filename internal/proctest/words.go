package proctest

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/aac6cccc/mkdirlock/dirlock"
)

// do answers one command.
func (c *child) do(words []string) {
	if len(words) == 0 {
		return
	}
	m := c.cfg.mutex()
	var args []string
	for _, word := range words[1:] {
		switch key, value, _ := strings.Cut(word, "="); key {
		case "path":
			m.Path = value
		case "wait":
			m.Wait, _ = time.ParseDuration(value)
		default:
			args = append(args, word)
		}
	}
	args = append(args, "", "") // so that a missing one is merely wrong
	switch words[0] {
	case "acquire":
		c.say("%s", c.acquired(m.Acquire(context.Background())))
	case "try":
		c.say("%s", c.acquired(m.TryAcquire()))
	case "check":
		c.say("%s", c.checked())
	case "context":
		if ctx := c.lock.Context(); ctx.Err() != nil {
			c.say("ENDED %v", context.Cause(ctx))
		} else {
			c.say("LIVE")
		}
	case "release":
		c.say("%s", c.released())
	case "turn", "at":
		if words[0] == "at" {
			ns, _ := strconv.ParseInt(args[0], 10, 64)
			time.Sleep(time.Until(time.Unix(0, ns)))
			args = args[1:]
		}
		hold, _ := time.ParseDuration(args[0])
		if _, wrong := c.turn(&m, hold); wrong != "" {
			c.say("%s", wrong)
		} else {
			c.say("DONE")
		}
	case "loop":
		c.loop(&m, args[0])
	case "inspect":
		c.inspect(&m, args[0])
	case "openall":
		keep, _ := strconv.Atoi(args[0])
		c.openAll(keep)
	case "closeall":
		for _, f := range c.took {
			f.Close()
		}
		c.took = nil
		c.say("OK")
	case "guard":
		if err := guard(args[0]); err != nil {
			c.say("ERR %v", err)
		} else {
			c.say("OK")
		}
	case "exit":
		os.Exit(3)
	default:
		c.say("ERR unknown word %q", words[0])
	}
}

func (c *child) checked() string {
	switch err := c.lock.Check(); {
	case err == nil:
		return "OK"
	case errors.Is(err, dirlock.ErrLost):
		return "LOST " + err.Error()
	default:
		return "ERR " + err.Error()
	}
}

func (c *child) loop(m *dirlock.Mutex, times string) {
	n, _ := strconv.Atoi(times)
	var longest time.Duration
	for i := range n {
		waited, wrong := c.turn(m, rand.N(500*time.Microsecond))
		if wrong != "" {
			first, _, _ := strings.Cut(wrong, " ")
			c.say("%s in turn %d: %s", first, i, wrong)
			return
		}
		longest = max(longest, waited)
	}
	c.say("DONE %v", longest)
}

func (c *child) inspect(m *dirlock.Mutex, times string) {
	n, _ := strconv.Atoi(times)
	var report dirlock.Report
	var err error
	for range max(n, 1) {
		if report, err = m.Inspect(); err != nil {
			break
		}
	}
	if err != nil {
		c.say("ERR %v", err)
		return
	}
	c.say("STATE %s %s", report.State, report.Reason)
}

// openAll takes up all descriptors that this process may have but keep of them.
func (c *child) openAll(keep int) {
	for {
		f, err := os.Open(os.DevNull)
		if err != nil {
			break
		}
		c.took = append(c.took, f)
	}
	for range min(keep, len(c.took)) {
		last := len(c.took) - 1
		c.took[last].Close()
		c.took = c.took[:last]
	}
	c.say("OK %d", len(c.took))
}
