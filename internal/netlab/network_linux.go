package netlab

import "fmt"

// Cut takes the host off the network between the hosts, as if its cable were pulled. It is taken off the bridge, since the
// network driver of user-mode Linux gives up for good when its device on this side is down.
func (h *Host) Cut() {
	h.lab.tb.Helper()
	h.cable("nomaster")
}

// Heal undoes Cut.
func (h *Host) Heal() {
	h.lab.tb.Helper()
	h.cable("master", "data")
}

func (h *Host) cable(words ...string) {
	h.lab.tb.Helper()
	if err := h.lab.do(append([]string{"ip", "link", "set", fmt.Sprint("data", h.number)}, words...)...); err != nil {
		h.lab.tb.Fatal(err)
	}
}

// Netem has the host's packets to the other hosts delayed, lost or doubled, in the words of tc-netem(8): Netem("loss",
// "100%"). Without words it stops.
func (h *Host) Netem(words ...string) {
	h.lab.tb.Helper()
	h.Must("/run/modprobe", "sch_netem")
	if len(words) == 0 {
		// There may be none.
		h.try("tc", "qdisc", "del", "dev", "vec0", "root")
		return
	}
	h.Must(append([]string{"tc", "qdisc", "replace", "dev", "vec0", "root", "netem"}, words...)...)
}
