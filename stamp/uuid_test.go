package stamp

import (
	"strings"
	"testing"
)

func TestParseUUID(t *testing.T) {
	const id = "48df7070-feee-4cbb-aa19-25913cc9adc6"
	for _, s := range []string{id, strings.ToUpper(id)} {
		if u, ok := parseUUID(s); !ok || Boot(u).String() != strings.ReplaceAll(id, "-", "") {
			t.Errorf("%q: %v, %v", s, Boot(u), ok)
		}
	}
	for _, bad := range []string{
		"", id + "\n", " " + id, id[:35], strings.ReplaceAll(id, "-", ""), "{" + id + "}", "urn:uuid:" + id,
		"x" + id[1:], "48df70-70feee-4cbb-aa19-25913cc9adc6",
	} {
		if u, ok := parseUUID(bad); ok {
			t.Errorf("%q: %v", bad, u)
		}
	}
}

func TestMachineUUID(t *testing.T) {
	for s, own := range map[string]bool{
		"48DF7070-FEEE-4CBB-AA19-25913CC9ADC6": true,
		"00000000-0000-0000-0000-000000000001": true,
		"00000000-0000-0000-0000-000000000000": false,
		"FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF": false,
		"89898989-8989-8989-8989-898989898989": false,
		"03000200-0400-0500-0006-000700080009": false,
		"Not Settable":                         false,
		"":                                     false,
	} {
		if machineUUID(s) != own {
			t.Errorf("%q: %v", s, !own)
		}
	}
}
