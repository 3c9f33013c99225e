package model

// Dead lists the states, in the order in which they were reached, from which the newcomer can never hold the lock again: no
// more faults, and all who are in the middle of something may finish it, but nobody else need begin.
func (g *Graph) Dead() []int {
	// Backwards from where the newcomer holds the lock. into[first[j]:first[j+1]] are the states with a step to j.
	first := make([]int32, len(g.States)+1)
	for _, e := range g.edges {
		first[e[1]+1]++
	}
	for j := range g.States {
		first[j+1] += first[j]
	}
	into := make([]int32, len(g.edges))
	next := append([]int32(nil), first...)
	for _, e := range g.edges {
		into[next[e[1]]] = e[0]
		next[e[1]]++
	}
	alive := make([]bool, len(g.States))
	var todo []int32
	for j, s := range g.States {
		if s.Procs[newcomer].At == Holds {
			alive[j] = true
			todo = append(todo, int32(j))
		}
	}
	for len(todo) > 0 {
		j := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, i := range into[first[j]:first[j+1]] {
			if !alive[i] {
				alive[i] = true
				todo = append(todo, i)
			}
		}
	}
	var dead []int
	for j := range g.States {
		if !alive[j] {
			dead = append(dead, j)
		}
	}
	return dead
}
