# What the tests need from the machine. Missing programs are installed; a missing ability ends the run,
# since a test that cannot try what it promises must not count as passed.

# command:package
needs=(
	strace:strace
	gcc:gcc
	unshare:util-linux
	nsenter:util-linux
	setpriv:util-linux
	mount:mount
	losetup:mount
	chattr:e2fsprogs
	mkfs.ext4:e2fsprogs
	git:git
	ps:procps
	bwrap:bubblewrap
)

step_setup() {
	install_missing
	go version
	uname -srm
	printf '%s cores\n' "$(getconf _NPROCESSORS_ONLN)"
	if [ "$(uname -s)" = Linux ] && [ "$(id -u)" -eq 0 ]; then
		check_abilities
	else
		echo "not root on Linux: tests that need it will skip, and skips are not failures here"
	fi
}

install_missing() {
	local need missing=()
	for need in "${needs[@]}"; do
		command -v "${need%%:*}" >/dev/null || missing+=("${need#*:}")
	done
	[ -e /usr/include/stdio.h ] || missing+=(libc6-dev)
	[ ${#missing[@]} -gt 0 ] || return 0
	echo "installing: ${missing[*]}"
	apt-get update -qq
	apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# check_abilities tries what the tests do, in namespaces that end with the try.
check_abilities() {
	strace -qq -o /dev/null true || die "strace cannot trace here"
	unshare -pf --mount-proc true || die "no pid namespaces (unshare -pf --mount-proc)"
	unshare -u true || die "no UTS namespaces (unshare -u)"
	unshare -m mount -t tmpfs tmpfs /mnt || die "cannot mount a tmpfs"
	setpriv --reuid=1000 --regid=1000 --clear-groups true || die "cannot change to another uid (setpriv)"
	[ -e /dev/loop-control ] || die "no loop devices (/dev/loop-control)"
	losetup -f >/dev/null || die "no free loop device"
	[ -w /dev/fuse ] || die "no /dev/fuse"
	[ -w /dev/shm ] || die "no /dev/shm to write to"
	printf 'int main(void){return 0;}\n' | gcc -x c -o "$scratch/true" - || die "gcc cannot build a program"
}
