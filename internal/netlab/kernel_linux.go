package netlab

import (
	"os"
	"path/filepath"
	"strings"
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
	loader, loaderErr := filepath.EvalSymlinks(dir + "/lib64/ld-linux-x86-64.so.2")
	if err != nil || loaderErr != nil || strings.ContainsAny(dir, " \t\n") {
		tb.Fatalf("netlab: %s=%q is not what fetch-kernel makes: %v, %v", KernelVariable, dir, err, loaderErr)
	}
	// With a C library of its own, which is newer than the machine's and whose loader it looks for where it is started.
	c.Kernel = "env -C " + dir + " LD_LIBRARY_PATH=" + filepath.Dir(loader) + " usr/bin/linux.uml"
	c.Modules = dir + "/usr/lib/uml/modules"
}
