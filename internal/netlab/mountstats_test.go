package netlab

import (
	"maps"
	"testing"
	"time"
)

const mountstats = `device hostfs mounted on / with fstype hostfs
device 10.99.0.1:/ mounted on /mnt/nfs4 with fstype nfs4 statvers=1.1
	opts:	rw,vers=4.2
	age:	12
	RPC iostats version: 1.1  p/v: 100003/4 (nfs)
	xprt:	tcp 0 0 1 0 0 25 25 0 30 0 2 5 0
	per-op statistics
	        NULL: 1 1 0 44 24 3 0 4 0
	        READ: 0 0 0 0 0 0 0 0 0
	     GETATTR: 7 9 1 1400 1700 0 21 22 0

device 10.99.0.1:/mnt/srv/share mounted on /mnt/nfs3 with fstype nfs statvers=1.1
	per-op statistics
	       MKDIR: 2 2 0 1400 1700 0 1 2 0

device //10.99.0.1/share mounted on /mnt/smb with fstype cifs
Resources in use
CIFS Session: 1
Share (unique mount targets): 2
0 session 0 share reconnects
Total vfs operations: 12 maximum at one time: 2

1) \\10.99.0.1\share
SMBs: 27
Bytes read: 0  Bytes written: 0
Open files: 0 total (local), 0 open on server
TreeConnects: 1 total 0 failed
Creates: 7 total 1 failed
OplockBreaks: 0 sent 0 failed
2) \\10.99.0.1\share
Creates: 2 total 1 failed
`

func TestParseStats(t *testing.T) {
	for path, want := range map[string]map[string]OpStats{
		"/mnt/nfs4": {"NULL": {1, 1, 0}, "GETATTR": {7, 9, 21 * time.Millisecond}},
		"/mnt/nfs3": {"MKDIR": {2, 2, time.Millisecond}},
		"/mnt/smb":  {"TreeConnects": {1, 1, 0}, "Creates": {9, 9, 0}},
		"/":         {},
	} {
		got, err := parseStats(mountstats, path)
		if err != nil || !maps.Equal(got, want) {
			t.Errorf("%s: %v, %v, want %v", path, got, err, want)
		}
	}
	for _, text := range []string{"", mountstats, "device x mounted on /mnt with fstype cifs", "device x mounted on"} {
		if got, err := parseStats(text, "/mnt"); err == nil {
			t.Errorf("%.20q: %v", text, got)
		}
	}
	if n := Sum(map[string]OpStats{"A": {1, 2, 0}, "B": {3, 4, 0}}); n != 6 {
		t.Errorf("in all %d", n)
	}
}
