package archtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// readmeBlock is the fenced block of README.md that follows the line <!-- ci:NAME -->.
func readmeBlock(t *testing.T, name string) string {
	t.Helper()
	m := regexp.MustCompile("(?s)<!-- ci:" + name + " -->\n```[a-z]*\n(.*?)```\n").FindStringSubmatch(files(t, "README.md")["README.md"])
	if m == nil {
		t.Fatalf("README.md has no block after <!-- ci:%s -->", name)
	}
	return m[1]
}

// The program in README.md is built and run as somebody would who has just copied it into a module of their own. Only the
// lock's path is another one.
func TestReadmeProgram(t *testing.T) {
	const path = "/shared/jobs.lock"
	src := readmeBlock(t, "program")
	if strings.Count(src, path) != 1 {
		t.Fatalf("want %s in it once, to be replaced:\n%s", path, src)
	}
	dir, locks := t.TempDir(), t.TempDir()
	write(t, filepath.Join(dir, "main.go"), strings.Replace(src, path, filepath.ToSlash(filepath.Join(locks, "jobs.lock")), 1))
	writeModule(t, dir)
	if out, err := exec.Command("gofmt", "-l", dir).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("gofmt: %v %s", err, out)
	}
	for _, args := range [][]string{{"vet", "."}, {"run", "."}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		// A program that needs more than this module requires is not what README.md promises.
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, out)
		}
	}
	left, err := os.ReadDir(locks)
	if err != nil || len(left) > 0 {
		t.Errorf("the program left %v behind (%v)", left, err)
	}
}

// writeModule makes dir a module that requires this one, and the versions that this one requires.
func writeModule(t *testing.T, dir string) {
	t.Helper()
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(mod), "module "+module+"\n", "module example.com/readme\n", 1)
	text += "\nrequire " + module + " v0.0.0\n\nreplace " + module + " => " + filepath.ToSlash(root) + "\n"
	write(t, filepath.Join(dir, "go.mod"), text)
	write(t, filepath.Join(dir, "go.sum"), string(sum))
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
