// The worker of a lock that locks nobody out, for the driver's tests to catch.
package main

import "github.com/aac6cccc/mkdirlock/bench/kit"

func main() {
	kit.Run(kit.Worker{
		Version: "none",
		Acquire: func(string) (func() error, error) { return func() error { return nil }, nil },
	})
}
