// Hello is a program for the hosts of a lab.
package main

import (
	"fmt"
	"os"
)

func main() {
	name, err := os.Hostname()
	fmt.Println("hello from", name)
	if err != nil {
		os.Exit(1)
	}
}
