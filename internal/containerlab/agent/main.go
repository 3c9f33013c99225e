// Agent is the program of a containerlab: it makes the namespaces of the lab and ends them, and it is what runs in the containers.
//
//	agent keep CONFIG      makes a lab, and unmakes it when standard input ends
//	agent in DIR CMD...    runs a command in the lab of that directory
//	agent first DIR CMD... the same, without the command's last word
//	agent init DIR CONFIG  is the first process of a lab; keep starts it
//	agent words            serves the words of package proctest
//	agent detect           prints what package container finds, as JSON
//	agent capture          prints what package container looks at, as JSON
//	agent kill             tries kill and pidfd_open on itself, and says how that went
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "agent:", err)
		os.Exit(1)
	}
}
