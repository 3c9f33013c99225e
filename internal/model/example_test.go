package model_test

import (
	"fmt"

	"github.com/aac6cccc/mkdirlock/internal/model"
)

// The protocol without the listing of step 3, and without any fault.
func Example() {
	g := model.Explore(model.Config{Mutant: model.NoListing})
	fmt.Println(g.Violation)
	fmt.Print(g.Counterexample())
	// Output:
	// two holders
	//  1  A       1 mkdir(P): made it                                   P{}
	//  2  A       1 open(P)                                             P{}
	//  3  B       1 mkdir(P): exists                                    P{}
	//  4  B       look: list                                            P{}
	//  5  A       2 create(A1)                                          P{A1}
	//  6  A       3 (no listing)                                        P{A1}
	//  7  A       4 HOLDS, as A1                                        P{A1}, A holds
	//  8  B       look: no stamp, and old: in place                     P{A1}, A holds
	//  9  B       2 create(B1)                                          P{A1 B1}, A holds
	// 10  B       3 (no listing)                                        P{A1 B1}, A holds
	// 11  B       4 HOLDS, as B1                                        P{A1 B1}, A holds, B holds
}
