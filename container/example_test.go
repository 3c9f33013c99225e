package container_test

import (
	"fmt"
	"testing/fstest"

	"github.com/aac6cccc/mkdirlock/container"
)

// A process in a rootless Podman container, seen through its files.
func ExampleDetect() {
	const id = "984b2cc4b39cf23bd8c7cfb5f14d1c3861d07ba5fd8d67d142c965e0a7802ed4"
	fsys := fstest.MapFS{
		"run/.containerenv": {},
		"proc/self/cgroup":  {Data: []byte("0::/\n")},
		"proc/self/uid_map": {Data: []byte("0 4242 1\n1 100000 65536\n")},
		"proc/self/mountinfo": {Data: []byte("339 329 0:47 /containers/vfs-containers/" + id +
			"/userdata/.containerenv /run/.containerenv rw - tmpfs tmpfs rw\n")},
	}
	info := container.Detect(fsys, nil)
	fmt.Println(info)
	fmt.Println(info.Runtime == container.Podman, info.Confidence)
	// Output:
	// podman 984b2cc4b39c (rootless)
	// true certain
}

// A virtual machine made from a Docker image has the mark, but is no container.
func ExampleDetect_leftOver() {
	fsys := fstest.MapFS{
		".dockerenv":          {},
		"proc/self/cgroup":    {Data: []byte("0::/init.scope\n")},
		"proc/self/mountinfo": {Data: []byte("27 1 254:0 / / rw - ext4 /dev/vda rw\n")},
	}
	info := container.Detect(fsys, nil)
	fmt.Printf("%q %v\n", info, info.Evidence)
	// Output:
	// "" [/.dockerenv exists]
}

// What to print beside a process id that somebody else will read.
func ExampleSelf() {
	info := container.Self()
	where := "on the host"
	if info.Detected() {
		where = "in " + info.String()
	}
	_ = fmt.Sprintf("pid 4711 %s", where)

	fmt.Println(info.Detected() == (info.String() != ""))
	// Output: true
}
