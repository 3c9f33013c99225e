package nettest

import (
	"testing"
	"time"
)

// testProtocols has one directory used by two protocols at once, or by the server itself and a client: never two holders, both sides
// have turns, though not as many, and each takes over what a dead process of the other one held.
func testProtocols(t *testing.T, s *scene) {
	const span, beat, stale = 10 * time.Second, time.Second, 6 * time.Second
	far := s.clients[2]
	far.Clock(time.Hour)
	defer far.Clock(-time.Hour)
	type side struct {
		st   *station
		kind string // "" on the server itself
	}
	local := side{s.server, ""}
	for name, sides := range map[string][2]side{
		"ext4+nfs4":  {local, {s.clients[0], "nfs4"}},
		"ext4+nfs3":  {local, {s.clients[0], "nfs3"}},
		"ext4+smb":   {local, {s.clients[0], "smb"}},
		"nfs4+smb":   {{s.clients[0], "nfs4"}, {s.clients[1], "smb"}},
		"nfs3+smb":   {{s.clients[0], "nfs3"}, {s.clients[1], "smb"}},
		"nfs4+nfs3":  {{s.clients[0], "nfs4"}, {s.clients[1], "nfs3"}},
		"nfs4+smb1h": {{s.clients[0], "nfs4"}, {far, "smb"}},
		"smb+smb1h":  {{s.clients[0], "smb"}, {far, "smb"}},
		"ext4+smb1h": {local, {far, "smb"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := s.fresh(t)
			path := func(x side) string {
				if x.kind == "" {
					return p.at(s.lab)
				}
				return p.on(x.kind)
			}
			var both [2]*told
			for i, x := range sides {
				o := order{Do: "turns", Path: path(x), Rounds: 10000, Past: span, Hold: 20 * time.Millisecond, Heartbeat: beat, Stale: stale, Wait: time.Minute}
				both[i] = x.st.tell(t, o)
			}
			for i, d := range both {
				r := d.end(patience)
				t.Logf("%s: %d turns", sides[i].st.Name, r.Count)
				if wrong := d.wrong(); r.Count < 1 || wrong != "" {
					t.Errorf("%s had %d turns: %s", sides[i].st.Name, r.Count, wrong)
				}
			}
			for i, x := range sides {
				other := sides[1-i]
				victim := s.employ(t, x.st.Host)
				o := order{Path: path(x), Heartbeat: beat, Stale: stale, Wait: -1}
				victim.acquire(t, o)
				o.Do, o.Path = "acquire", path(other)
				d := other.st.tell(t, o)
				time.Sleep(stale + 2*time.Second)
				if _, ok := d.look(0, is(toldAcquired, toldFailed)); ok {
					t.Errorf("%s took over what %s held", other.st.Name, x.st.Name)
				}
				killed := time.Now()
				if err := victim.proc.Kill(); err != nil {
					t.Fatal(err)
				}
				<-victim.gone
				s.ledger.ended(victim, killed)
				got := d.had(patience)
				took := other.st.time(got).Sub(killed)
				t.Logf("%s had what %s held %v after its end", other.st.Name, x.st.Name, took)
				if took > repaired(beat, stale) {
					t.Errorf("%s had what %s held only %v after its end", other.st.Name, x.st.Name, took)
				}
				other.st.release(t, d)
			}
		})
	}
}
