//go:build !linux

package main

func main() { panic("the lab's kernels are Linux, and so is what they run on") }
