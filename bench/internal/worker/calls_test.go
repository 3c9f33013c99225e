package worker

import "testing"

const lock = "/tmp/x/lock"

func TestCount(t *testing.T) {
	for _, c := range []struct {
		line string
		want Calls
	}{
		{`12 mkdirat(AT_FDCWD</src>, "/tmp/x/lock", 0777) = -1 EEXIST (File exists)`, Calls{Lock: 1}},
		{`12 newfstatat(7</tmp/x>, "lock/dirlock-1", {st_mode=0}, 0) = 0`, Calls{Lock: 1}},
		{`12 getdents64(7</tmp/x/lock>, 0x55 /* 3 entries */, 32768) = 80`, Calls{Lock: 1}},
		{`flock(3</tmp/x/lock>, LOCK_EX <unfinished ...>`, Calls{Lock: 1}},
		{`12 unlinkat(AT_FDCWD</src>, "/tmp/x//lock/../lock/a", 0) = 0`, Calls{Lock: 1}},
		{`12 openat(AT_FDCWD</src>, "/tmp/x/lock.dirlock", O_RDONLY) = 3</tmp/x/lock.dirlock>`, Calls{Files: 1}},
		{`12 stat("/tmp/x/lockless", 0x1) = 0`, Calls{Files: 1}},
		{`12 openat(AT_FDCWD</src>, "relative", O_RDONLY) = 3</src/relative>`, Calls{Files: 1}},
		{`12 read(5</proc/77/stat>, "77 (a)"..., 512) = 300`, Calls{Files: 1}},
		{`12 statx(AT_FDCWD</src>, 0xc0001, 0, 0, 0) = -1 EFAULT`, Calls{Files: 1}},
		{`12 statx(4</tmp/x/lock/a>, "", AT_EMPTY_PATH, STATX_ALL, {}) = 0`, Calls{Lock: 1}},
		{`12 inotify_add_watch(4<anon_inode:inotify>, "/tmp/x/lock", IN_DELETE) = 1`, Calls{Lock: 1}},
		{`12 read(4<anon_inode:inotify>, "", 4096) = -1 EAGAIN`, Calls{Other: 1}},
		{`12 write(1<pipe:[33]>, "ACQ"..., 4) = 4`, Calls{Other: 1}},
		{`12 write(2</dev/pts/0>, "ACQ"..., 4) = 4`, Calls{Other: 1}},
		{`12 futex(0x5, FUTEX_WAIT_PRIVATE, 0, NULL <unfinished ...>`, Calls{Other: 1}},
		{`12 epoll_ctl(4<anon_inode:[eventpoll]>, EPOLL_CTL_ADD, 7</tmp/x/lock>, {}) = 0`, Calls{Other: 1}},
		{`12 <... futex resumed>) = 0`, Calls{}},
		{`12 restart_syscall(<... resuming interrupted nanosleep ...>) = 0`, Calls{Other: 1}},
		{`12 --- SIGURG {si_signo=SIGURG} ---`, Calls{}},
		{`12 +++ exited with 0 +++`, Calls{}},
		{``, Calls{}},
	} {
		if got := Count(c.line+"\n", lock); got != c.want {
			t.Errorf("%s\n%+v, want %+v", c.line, got, c.want)
		}
	}
}

func TestCountAddsUp(t *testing.T) {
	const trace = "1 rmdir(\"/tmp/x/lock\") = 0\n1 rmdir(\"/tmp/x/lock\") = 0\n2 futex(0x1) = 0\n2 stat(\"/\", 0x1) = 0\n"
	if got, want := Count(trace, lock), (Calls{Lock: 2, Files: 1, Other: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
