package netlab

import (
	"os"
	"path/filepath"
	"testing"
)

// KernelVariable names a directory that fetch-kernel has filled, whose kernel is booted instead of the installed one.
const KernelVariable = "MKDIRLOCK_NETLAB_KERNEL"

// kernel fills in which one is booted.
func (c *Config) kernel(tb testing.TB) {
	tb.Helper()
	if c.Kernel != "" {
		return
	}
	dir := os.Getenv(KernelVariable)
	if dir == "" {
		c.Kernel, c.Modules = "linux.uml", "/usr/lib/uml/modules"
		return
	}
	dir, err := filepath.Abs(dir)
	if err == nil {
		_, err = os.Stat(dir + "/usr/bin/linux.uml")
	}
	loader, globErr := filepath.Glob(dir + "/usr/lib/*/ld-linux*")
	if err != nil || globErr != nil || len(loader) != 1 {
		tb.Fatalf("netlab: %s is not what fetch-kernel makes: %v", KernelVariable, err)
	}
	// With its own C library, which is newer than the machine's. It starts itself anew where addresses are random, and would not be
	// found in the loader's place.
	c.Kernel = "setarch -R " + loader[0] + " --library-path " + filepath.Dir(loader[0]) + " " + dir + "/usr/bin/linux.uml"
	c.Modules = dir + "/usr/lib/uml/modules"
}
