//go:build linux

// Faultfs mirrors a directory through FUSE, with faults:
//
//	faultfs DIR MOUNTPOINT           commands come from standard input; its end, or a signal, ends the mount
//	faultfs -ctl SOCKET DIR MOUNTPOINT    ... and from a socket
//	faultfs -ctl SOCKET add op=mkdir stall   one command to the one that listens there
//
// The commands are add RULE, remove ID, heal, fired ID and stuck; see the package faultfs for rules.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/aac6cccc/mkdirlock/fusetest/faultfs"
)

var verbs = []string{"add", "remove", "heal", "fired", "stuck"}

func main() {
	socket := flag.String("ctl", "", "unix `socket` for commands")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: faultfs [-ctl SOCKET] DIR MOUNTPOINT\n       faultfs -ctl SOCKET add|remove|heal|fired|stuck [ARG...]")
		fmt.Fprintln(os.Stderr, "operations:", strings.Join(faultfs.Ops, ", "))
	}
	flag.Parse()
	var err error
	switch {
	case *socket != "" && slices.Contains(verbs, flag.Arg(0)):
		err = send(*socket, strings.Join(flag.Args(), " "))
	case flag.NArg() == 2:
		err = serve(*socket, flag.Arg(0), flag.Arg(1))
	default:
		flag.Usage()
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(socket, dir, point string) error {
	s, err := faultfs.Serve(dir, point)
	if err != nil {
		return err
	}
	if socket != "" {
		l, err := net.Listen("unix", socket)
		if err != nil {
			_ = s.Close()
			return err
		}
		defer l.Close() // which removes the socket
		go accept(l, s)
	}
	end := make(chan os.Signal, 1)
	signal.Notify(end, os.Interrupt, syscall.SIGTERM)
	go func() {
		s.Control(os.Stdin, os.Stdout)
		if socket == "" {
			end <- os.Interrupt
		}
	}()
	go func() {
		s.Wait() // unmounted from outside
		end <- os.Interrupt
	}()
	<-end
	_ = s.Close()
	return nil
}

func accept(l net.Listener, s *faultfs.Server) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			s.Control(c, c)
		}()
	}
}

func send(socket, line string) error {
	c, err := net.Dial("unix", socket)
	if err != nil {
		return err
	}
	defer c.Close()
	fmt.Fprintln(c, line)
	answer, err := bufio.NewReader(c).ReadString('\n')
	if err != nil && err != io.EOF {
		return err
	}
	fmt.Print(answer)
	if !strings.HasPrefix(answer, "ok") {
		os.Exit(1)
	}
	return nil
}
