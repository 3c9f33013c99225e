package fsys

import "time"

func (f osFS) Clock(aux string, t Traits) (time.Time, error) {
	if t.Local {
		return localClock(), nil
	}
	return ProbeClock(f, aux)
}
