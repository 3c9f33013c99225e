package stamp

import (
	"fmt"
	"time"
)

var rowNames = [...]string{
	RowAlive: "alive", RowDead: "dead", RowUnknownVersion: "unknown version", RowNames: "host names differ",
	RowForeign: "foreign", RowCorrupt: "corrupt", RowUnstamped: "unstamped", RowSelf: "self",
}

// String returns a word or two for the row.
func (r Row) String() string {
	if int(r) >= len(rowNames) || rowNames[r] == "" {
		return fmt.Sprintf("row %d", uint8(r))
	}
	return rowNames[r]
}

// reason tells a person on call what was asked, what it said and what is
// awaited. It keeps to one line even where an error's text does not.
func reason(c Case, r rule, v Verdict) string {
	text := owner(c, r.row)
	switch {
	case c.Beat.Err != nil:
		text += fmt.Sprintf("; the last look failed (%v): nothing is taken over on an error", c.Beat.Err)
	case r.row == RowAlive:
		text += ", " + lastBeat(c.Beat)
		if c.Kernel.Answer == Alive && !c.Kernel.Zombies {
			text += ": paused is not dead"
		}
	case v.Takeover && r.row == RowDead && c.SameHost && c.ExitSeen:
		text += ", its exit was watched: takeover"
	case v.Takeover && r.row == RowDead:
		text += ", " + lastBeat(c.Beat) + ": takeover"
	case v.Takeover:
		text += fmt.Sprintf(": silent for %s (%s needed) and watched for %s (%s needed): takeover",
			brief(c.Beat.silent()), r.silence, brief(c.Beat.Unchanged), r.confirm)
	case r.row == RowDead:
		text += fmt.Sprintf(", but its heartbeat may still be moving: waits until it has been silent for %s (%s so far)",
			r.silence, brief(c.Beat.silent()))
	default:
		text += fmt.Sprintf(": waits until it has been silent for %s (%s so far) and was watched for %s (%s so far)",
			r.silence, brief(c.Beat.silent()), r.confirm, brief(c.Beat.Unchanged))
	}
	return readable(text)
}

// owner says who holds the lock and what the kernel knows of him.
func owner(c Case, row Row) string {
	here, asked := fmt.Sprintf("pid %d on this host", c.Stamp.PID), c.Kernel.How
	if !c.SameHost {
		here, asked = fmt.Sprintf("pid %d on %s, in another pid namespace of this kernel,", c.Stamp.PID, c.Stamp.Label), c.Across.How
	}
	if asked == "" {
		asked = "nothing was asked"
	}
	switch row {
	case RowAlive:
		version := ""
		if !c.Stamp.Known() {
			version = fmt.Sprintf(", its stamp is of version %d", c.Stamp.Version)
		}
		switch {
		case c.Kernel.Zombies:
			return fmt.Sprintf("%s has only zombies left in its process group %d (%s), which one more scan must confirm%s",
				here, c.Stamp.Group, asked, version)
		case c.Kernel.Answer == Alive:
			return fmt.Sprintf("%s is alive (%s)%s", here, asked, version)
		default:
			return fmt.Sprintf("%s is not proven dead (%s), which counts as alive%s", here, asked, version)
		}
	case RowDead:
		return fmt.Sprintf("%s is dead (%s)", here, asked)
	case RowUnknownVersion:
		return fmt.Sprintf("%s is dead (%s), but its stamp is of version %d, not known here", here, asked, c.Stamp.Version)
	case RowNames:
		return fmt.Sprintf("%s is dead (%s), but its stamp has another host name (%s): perhaps a cloned machine", here, asked, c.Stamp.Label)
	case RowSelf:
		return fmt.Sprintf("the stamp names this process (pid %d), which does not hold the lock", c.Stamp.PID)
	case RowCorrupt:
		return "the stamp's name is not in a format known here"
	case RowUnstamped:
		return "the directory carries no stamp"
	default:
		if c.Across.How != "" {
			return fmt.Sprintf("holder (pid %d on %s) is in another pid namespace of this kernel, which has no proof of its death (%s)", c.Stamp.PID, c.Stamp.Label, c.Across.How)
		}
		return fmt.Sprintf("holder (pid %d on %s) is on another host or in another pid namespace", c.Stamp.PID, c.Stamp.Label)
	}
}

func lastBeat(b Beat) string {
	if b.AgeKnown {
		return fmt.Sprintf("its last heartbeat was %s ago", brief(b.silent()))
	}
	return fmt.Sprintf("no heartbeat was seen for %s", brief(b.silent()))
}

// brief rounds down, so that what is not enough yet never looks as if it were.
func brief(d time.Duration) time.Duration {
	switch {
	case d >= 10*time.Second:
		return d.Truncate(time.Second)
	case d >= time.Second:
		return d.Truncate(100 * time.Millisecond)
	default:
		return d.Truncate(time.Millisecond)
	}
}
