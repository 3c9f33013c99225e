package main

import (
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

func main() {
	if err := do(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "netlab agent:", err)
		os.Exit(1)
	}
}

func do(args []string) error {
	switch {
	case os.Getpid() == 1 && os.Getenv(roleVariable) != "":
		return initHost()
	case len(args) == 1 && args[0] == "lab":
		return initLab()
	case len(args) == 3 && args[0] == "serve":
		return serveAt(args[1], args[2])
	case len(args) > 4 && args[0] == "relay":
		return relay(args[1], args[2], args[3], args[4:])
	case len(args) == 2 && args[0] == "shift":
		return shift(args[1])
	}
	return fmt.Errorf("what is %q?", args)
}

// serveAt serves at an address, and makes a file once it can be reached.
func serveAt(address, ready string) error {
	network := "tcp"
	if strings.HasPrefix(address, "/") {
		network = "unix"
	}
	l, err := net.Listen(network, address)
	if err != nil {
		return err
	}
	if err := os.WriteFile(ready, nil, 0o644); err != nil {
		return err
	}
	return serve(l)
}

func shift(by string) error {
	d, err := time.ParseDuration(by)
	if err != nil {
		return err
	}
	now := unix.NsecToTimeval(time.Now().Add(d).UnixNano())
	return unix.Settimeofday(&now)
}
