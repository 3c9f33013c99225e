package stamp

import (
	"encoding/hex"
	"strings"
)

// parseUUID reads a uuid in its usual form, in either case; ok is false for
// anything else.
func parseUUID(s string) (u [16]byte, ok bool) {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return u, false
	}
	raw, err := hex.DecodeString(s[:8] + s[9:13] + s[14:18] + s[19:23] + s[24:])
	if err != nil {
		return u, false
	}
	return [16]byte(raw), true
}

// machineUUID reports whether what a machine's firmware gives as its uuid may be
// its own: many give none, or what the maker of the board forgot to change.
func machineUUID(s string) bool {
	u, ok := parseUUID(s)
	if !ok || strings.EqualFold(s, "03000200-0400-0500-0006-000700080009") {
		return false
	}
	for _, b := range u {
		if b != u[0] { // all zeros, all ones, 89 again and again
			return true
		}
	}
	return false
}
