package netlab

import (
	"fmt"
	"strings"
	"syscall"
)

// plug makes what the host's two network devices are on this side, for all its life, however often it is booted.
func (h *Host) plug() {
	h.lab.tb.Helper()
	var batch strings.Builder
	for _, net := range []string{"data", "control"} {
		fmt.Fprintf(&batch, "tuntap add %[1]s%[2]d mode tap\nlink set %[1]s%[2]d master %[1]s up\n", net, h.number)
	}
	if err := h.lab.do("sh", "-c", `echo "$0" | ip -batch -`, batch.String()); err != nil {
		h.lab.tb.Fatal(err)
	}
}

// Cut takes the host off the network between the hosts, as if its cable were pulled. It is taken off the bridge, since the
// network driver of user-mode Linux gives up for good when its device on this side is down.
func (h *Host) Cut() {
	h.lab.tb.Helper()
	if h.room != nil {
		h.stop(syscall.SIGSTOP)
		return
	}
	h.cable("nomaster")
}

// Heal undoes Cut.
func (h *Host) Heal() {
	h.lab.tb.Helper()
	if h.room != nil {
		h.stop(syscall.SIGCONT)
		return
	}
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
