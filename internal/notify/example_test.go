package notify_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/aac6cccc/mkdirlock/internal/notify"
)

// A waiter watches before it looks, so that nothing happens unseen in between. Whatever wakes it, it watches anew, and looks.
func Example() {
	dir, err := os.MkdirTemp("", "notify-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	stamp := filepath.Join(dir, "stamp")
	if err := os.WriteFile(stamp, nil, 0o644); err != nil {
		fmt.Println(err)
		return
	}

	var dirs notify.Dirs // one for the whole process
	woken := make(chan struct{}, 1)
	wake := func() {
		select {
		case woken <- struct{}{}:
		default: // it will look, and see this too
		}
	}
	stop, err := dirs.Watch(dir, wake)
	if err != nil {
		fmt.Println("polling:", err)
		return
	}
	for {
		if _, err := os.Stat(stamp); os.IsNotExist(err) {
			fmt.Println("free")
			break
		}
		fmt.Println("held")
		go os.Remove(stamp) // somebody else's release
		<-woken             // and, in earnest, a timer beside it

		former := stop
		if stop, err = dirs.Watch(dir, wake); err != nil {
			stop = func() {}
		}
		former()
	}
	stop()
	// Output:
	// held
	// free
}
