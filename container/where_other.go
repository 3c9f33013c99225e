//go:build !linux

package container

func where(string) Place { return Place{Machine, "containers are not recognised on this system"} }
