package record

import (
	"slices"
)

// Rows are the records of one run.
type Rows []Record

// Last are the records of the run that began last; empty if there is none.
func Last(all []Record) Rows {
	for _, r := range slices.Backward(all) {
		if r.Test == Run {
			return Of(all, r.Run)
		}
	}
	return nil
}

// Of are the records of the run with that name. Of several with one key the last counts.
func Of(all []Record, run string) Rows {
	var rows Rows
	place := map[Key]int{}
	for _, r := range all {
		if r.Run != run {
			continue
		}
		if i, again := place[r.Key()]; again {
			rows[i] = r
			continue
		}
		place[r.Key()] = len(rows)
		rows = append(rows, r)
	}
	return rows
}

// Get returns the row with that key.
func (rows Rows) Get(k Key) (Record, bool) {
	i := slices.IndexFunc(rows, func(r Record) bool { return r.Key() == k })
	if i < 0 {
		return Record{}, false
	}
	return rows[i], true
}

// Test are the rows of one test.
func (rows Rows) Test(name string) Rows {
	var some Rows
	for _, r := range rows {
		if r.Test == name {
			some = append(some, r)
		}
	}
	return some
}

// FSs are the file systems of the rows, sorted: rows that are measured at the same time end in any order.
func (rows Rows) FSs() []string {
	return slices.Sorted(slices.Values(rows.distinct(func(r Record) string { return r.FS })))
}

// Variants are the variants of the rows, in their order.
func (rows Rows) Variants() []string {
	return rows.distinct(func(r Record) string { return r.Variant })
}

func (rows Rows) distinct(of func(Record) string) []string {
	var all []string
	for _, r := range rows {
		if v := of(r); v != "" && !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return all
}

// Kind is what the run says a peer is: "own", "floor", "kernel", "takeover" or "none".
func (rows Rows) Kind(peer string) string {
	r, _ := rows.Get(Key{Test: Peer, Peer: peer})
	return r.Info["kind"]
}
