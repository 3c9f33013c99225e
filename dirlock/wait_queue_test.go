package dirlock

import "time"

// kinds are the ways in which the waiters of a line may learn of a release.
var kinds = map[string]func(s *sim, procs ...*simProc){
	"told":            func(s *sim, procs ...*simProc) { s.herald(procs...) },
	"local, not told": func(*sim, ...*simProc) {},
	"network": func(_ *sim, procs ...*simProc) {
		for _, p := range procs {
			p.client.Kind.Local = false
		}
	},
}

// queue has n waiters of one process line up, a millisecond apart; each holds the lock for hold. It returns the numbers of those who
// had the lock in their order when all have come back, and their errors by number.
func (p *simProc) queue(n int, hold time.Duration, edit func(i int, m *Mutex)) func() (order []int, errs []error) {
	type turn struct {
		i   int
		err error
	}
	turns := make(chan turn, n)
	for i := range n {
		m := p.patient()
		if edit != nil {
			edit(i, m)
		}
		go func() {
			l, err := m.Acquire(p.t.Context())
			if err == nil {
				p.enter(l)
				time.Sleep(hold)
				p.leave()
				p.release(l)
			}
			turns <- turn{i, err}
		}()
		time.Sleep(time.Millisecond)
	}
	return func() (order []int, errs []error) {
		errs = make([]error, n)
		for range n {
			r := <-turns
			if errs[r.i] = r.err; r.err == nil {
				order = append(order, r.i)
			}
		}
		return order, errs
	}
}

func upTo(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}
