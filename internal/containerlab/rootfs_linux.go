package containerlab

import (
	"archive/tar"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/containerlab/wire"
)

// applets are what a busybox is called by in the containers.
var applets = []string{"sh", "cat", "echo", "env", "head", "hostname", "id", "kill", "ls", "mkdir", "mount", "ps", "rm", "rmdir", "sleep", "stat", "touch", "true", "umount"}

// Program is the agent's program in the containers. It is called like the test binary, by which proctest finds its children.
func Program() string {
	self, err := os.Executable()
	if err != nil {
		return "/agent"
	}
	return "/" + filepath.Base(self)
}

// tree makes the root file system of the containers, as the tar that Docker and Podman import.
func (l *Lab) tree() (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.image != "" {
		return l.image, nil
	}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	add := func(h tar.Header, content []byte) error {
		h.Size, h.ModTime = int64(len(content)), time.Unix(1_000_000_000, 0)
		if err := w.WriteHeader(&h); err != nil {
			return err
		}
		_, err := w.Write(content)
		return err
	}
	for _, dir := range []string{"bin", "dev", "etc", "proc", "root", "run", "sys", "tmp", "usr", "usr/bin", "usr/lib", "var", "var/tmp", "vol"} {
		mode := int64(0o755)
		if dir == "tmp" || dir == "vol" || dir == "var/tmp" {
			mode = 0o777
		}
		if err := add(tar.Header{Typeflag: tar.TypeDir, Name: dir, Mode: mode}, nil); err != nil {
			return "", err
		}
	}
	busybox, err := lookPath("busybox")
	if err != nil {
		return "", err
	}
	for name, from := range map[string]string{"bin/busybox": busybox, Program()[1:]: wire.Agent(l.Dir)} {
		content, err := os.ReadFile(from)
		if err != nil {
			return "", err
		}
		if err := add(tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o755}, content); err != nil {
			return "", err
		}
	}
	for _, applet := range applets {
		if err := add(tar.Header{Typeflag: tar.TypeSymlink, Name: "bin/" + applet, Linkname: "busybox", Mode: 0o777}, nil); err != nil {
			return "", err
		}
	}
	for name, content := range map[string]string{
		"etc/passwd": "root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n", "etc/group": "root:x:0:\n", "etc/os-release": "ID=lab\n", "usr/lib/os-release": "ID=lab\n",
	} {
		if err := add(tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644}, []byte(content)); err != nil {
			return "", err
		}
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	image := l.Dir + "/image.tar"
	if err := os.WriteFile(image, b.Bytes(), 0o644); err != nil {
		return "", err
	}
	l.image = image
	return image, nil
}

// rootfs unpacks a root file system of its own for a container of those that have no images.
func (l *Lab) rootfs() (dir string, err error) {
	image, err := l.tree()
	if err != nil {
		return "", err
	}
	l.mu.Lock()
	l.roots++
	dir = fmt.Sprintf("%s/roots/%d/rootfs", l.Dir, l.roots)
	l.mu.Unlock()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	_, err = l.Try("tar", "-C", dir, "-xf", image)
	return dir, err
}
