package fsys_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// The calls of one lock's life.
func Example() {
	tmp, err := os.MkdirTemp("", "fsys-example-*")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(tmp)

	f := fsys.OS()
	p, err := f.Resolve(filepath.Join(tmp, "jobs.lock"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("mkdir:", f.Mkdir(p, 0o755))
	fmt.Println("again, it exists:", fsys.Is(f.Mkdir(p, 0o755), fsys.Exist))
	d, err := f.OpenDir(p)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("create:", d.Create("stamp", []byte("{}"), 0o644))
	list, err := d.List()
	fmt.Println("list:", len(list), list[0].Name, err)
	fmt.Println("close:", d.Close())
	fmt.Println("rmdir, it is not empty:", fsys.Is(f.Rmdir(p), fsys.NotEmpty))
	fmt.Println("unlink:", f.Unlink(filepath.Join(p, "stamp")))
	fmt.Println("rmdir:", f.Rmdir(p))
	// Output:
	// mkdir: <nil>
	// again, it exists: true
	// create: <nil>
	// list: 1 stamp <nil>
	// close: <nil>
	// rmdir, it is not empty: true
	// unlink: <nil>
	// rmdir: <nil>
}
