package chaos

import "time"

// Settings are those of all workers, and what a busy machine may add.
type Settings struct {
	Heartbeat, Stale, Poll time.Duration

	// ServerClock says that beats carry the server's time, so that a waiter can tell the age of a beat which it did not see.
	// It is so on NFS, and not on SMB.
	ServerClock bool

	// Tick is how much earlier a beat may seem to have been than it was, where mtimes have whole seconds.
	Tick time.Duration

	// Slack is what a process that runs may be late with anything, and an answer of a server that answers.
	Slack time.Duration

	// Anew is by how much a takeover may be late beside that: a look that takes longer than a beat, which a probe beside it need not meet with,
	// has the waiter watch anew.
	Anew time.Duration
}

// Lease is how long a holder may believe in a beat, counted from before it was sent.
func (s Settings) Lease() time.Duration { return s.Stale - s.Stale/3 }

// Confirm is how long a waiter must have watched before it takes over.
func (s Settings) Confirm() time.Duration { return max(3*s.Heartbeat, s.Stale/5) }

// Settle is how long a process that slept through its lease may need to learn what became of the lock: a tick of its
// watchdog, and the answer of the file system, for which it waits a heartbeat or half a second.
func (s Settings) Settle() time.Duration {
	return s.Heartbeat/3 + max(s.Heartbeat, 500*time.Millisecond) + s.Slack
}

// Nap is the shortest pause after which a process may take itself for one that slept.
func (s Settings) Nap() time.Duration { return s.Heartbeat / 3 }

// A Proc is a process that took part.
type Proc struct {
	Host   string
	Kernel string // the host's kernel and the namespace of its pids, as stamps have them: "bootid.4026531836"
	ID     string // its pid and start time, as stamps have them: "123.27ovk"

	// Death is when it was killed, or its host lost power; Died says whether it did.
	Death Moment
	Died  bool
}

// A Step is a change of the server's date.
type Step struct {
	At Moment
	By time.Duration
}

// A Trial is all that is known of one.
type Trial struct {
	Settings Settings
	Procs    map[string]Proc // by the records' Who
	Records  []Record        // each witness' in the order in which it told them
	Watch    []Record        // the server's, in their order
	Steps    []Step
	Outages  []Moment // when the server had no power
	End      time.Duration
}

// A Fault is something that must not be.
type Fault struct {
	Rule string // one of the Rule constants
	At   time.Duration
	Lock string
	What string
}

// The rules, by which a fault is named.
const (
	RuleOverlap = "overlap" // two at once in a lock, which the lease of neither excuses
	RuleLease   = "lease"   // a process that ran and claimed a lock after its lease, as the server saw its beats
	RuleRobbed  = "robbed"  // the stamp of a live holder was removed by others before it was silent for Stale
	RuleRepair  = "repair"  // an owner was silent for longer than it may take to replace it, and somebody waited
	RuleStray   = "stray"   // a live process left a stamp behind, which keeps its own host from the lock
	RuleWrong   = "wrong"   // a worker was told something that it must not be told
)

// A Report is what the judge says.
type Report struct {
	Faults []Fault

	// What the trial came by: one in which nothing happened shows nothing.
	Entered int // how often a lock was had
	Lost    int // how often a holder was told of a loss
	Robbed  int // how often a holder's stamp was removed by others, the dead ones' too
	Excused int // overlaps that a stopped process may have
	Assumed int // robberies and overlaps after a step of the server's date, which the design excludes by assumption
	Unseen  int // holds whose stamp the watch did not see, since it did not run then
	Awaited int // silences that somebody able waited through, so that their length was judged

	// Latest is by how much a takeover was later than it could be at best, by what kind of owner and waiter.
	Latest map[string]time.Duration
}

// Judge judges a trial.
func Judge(t Trial) Report {
	j := &judge{Trial: t, report: Report{Latest: map[string]time.Duration{}}}
	j.holds()
	j.stamps()
	j.judgeLeases()
	j.judgeOverlaps()
	j.judgeRobberies()
	j.judgePaused()
	j.judgeRepairs()
	j.judgeStrays()
	j.judgeWrong()
	return j.report
}

type judge struct {
	Trial
	report Report

	held   []*hold
	idle   map[string][]idle // by process
	waits  []*wait
	stalls map[string][]Moment // by process: pauses between two of its records; From and To are their ends
	lives  []*life
	byID   map[string]*life
	bare   []bare
	reach  map[string][]Moment // by host: the answers of the server
}

func (j *judge) fault(rule string, at time.Duration, lock, what string) {
	j.report.Faults = append(j.report.Faults, Fault{rule, at, lock, what})
}

func (j *judge) judgeWrong() {
	for _, r := range j.Records {
		if r.Kind == Wrong {
			j.fault(RuleWrong, r.At.To, r.Lock, r.Who+": "+r.Text)
		}
	}
}
