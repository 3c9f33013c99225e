package stamp

import "hash/fnv"

// maxLabel is the most of a host name that is shown in a stamp's name.
const maxLabel = 32

// HostHash returns the 64-bit FNV-1a hash of the host name's bytes. Nothing is
// folded, looked up or completed: "db" and "db.example.org" are two names.
func HostHash(host string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(host))
	return h.Sum64()
}

// Label returns what of a host name can be read in a stamp's name: ASCII
// letters in lower case, digits, and "-" for any other character, 32 at most.
// It is never empty, since a name that ends in a dot does not survive SMB and
// Windows: an empty host name gives "-".
func Label(host string) string {
	label := make([]byte, 0, maxLabel)
	for _, r := range host {
		if len(label) == maxLabel {
			break
		}
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			label = append(label, byte(r))
		case r >= 'A' && r <= 'Z':
			label = append(label, byte(r-'A'+'a'))
		default:
			label = append(label, '-')
		}
	}
	if len(label) == 0 {
		return "-"
	}
	return string(label)
}
