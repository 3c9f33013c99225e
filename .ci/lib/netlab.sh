# What runs between real kernels on this machine, and on real file systems of every kind: internal/netlab says what of. Elsewhere these
# tests skip, for want of MKDIRLOCK_NETLAB=1; here a skip is a failure, as is a package that cannot be had.

# command:package
netlab_needs=(
	linux.uml:user-mode-linux
	rpc.nfsd:nfs-kernel-server
	rpc.statd:nfs-common
	rpcbind:rpcbind
	smbd:samba
	smbpasswd:samba-common-bin
	modprobe:kmod
	ip:iproute2
	tc:iproute2
	sshfs:sshfs
	sshd:openssh-server
	ssh-keygen:openssh-client
	mkfs.xfs:xfsprogs
	mkfs.btrfs:btrfs-progs
)

step_netlab() {
	if [ "$(uname -s)" != Linux ] || [ "$(id -u)" -ne 0 ]; then
		echo "not root on Linux: there is no lab to be had here, and its tests do not run"
		return
	fi
	netlab_install
	[ -w /dev/net/tun ] || die "no /dev/net/tun"
	local packages
	packages=$(netlab_packages)
	[ -n "$packages" ] || die "no package is tested in the lab"
	printf '%s\n' "$packages"
	build_testlog
	local package
	for package in $packages; do # one at a time: each has kernels of its own, on as few processors as there are
		netlab_package "$package"
	done
}

# What no busy machine can be blamed for, among what a test prints: two holders, a living one robbed, a loss that was not noticed.
netlab_unsafe='two holders|is inside|(overlap|lease|robbed|stray|wrong): +[0-9]|was taken over$|after it was taken over|does not know that it has lost|, has lost |: lost: |took .* over$'

# A dozen kernels share these processors with whatever else runs here, and what they do takes its time by the clock on the wall. So a package
# that fails is tried once more, and that is said; but not where it says that the lock is not safe.
netlab_package() {
	local log=$scratch/netlab.log
	if MKDIRLOCK_NETLAB=1 go test -count=1 -timeout 30m -json "$1" | "$scratch/testlog" -allowed-skips /dev/null | tee "$log"; then
		return
	fi
	! grep -qE "$netlab_unsafe" "$log" || die "$1: the lock is not safe"
	echo "AGAIN: $1 has failed, of what a busy machine may be the cause"
	MKDIRLOCK_NETLAB=1 go test -count=1 -timeout 30m -json "$1" | "$scratch/testlog" -allowed-skips /dev/null
}

# The newest kernel that Debian has, on servers and clients, for what newer ones do differently: delegations, of which
# the tests say more, and so what calls there are and how long a handover takes; and half a minute of faults. A kernel that cannot be
# had ends the run. It is run by its name only: what a distribution has from one day to the next must not decide what lands.
step_newest() {
	if [ "$(uname -s)" != Linux ] || [ "$(id -u)" -ne 0 ]; then
		echo "not root on Linux: there is no lab to be had here, and its tests do not run"
		return
	fi
	netlab_install
	build_testlog
	internal/netlab/fetch-kernel "$scratch/kernel"
	export MKDIRLOCK_NETLAB_KERNEL=$scratch/kernel
	MKDIRLOCK_NETLAB=1 MKDIRLOCK_NETTEST="Cycle Keeping Handover" go test -count=1 -timeout 10m -json \
		-run '^(TestDelegations|TestDirectoryDelegations|TestHosts)$' ./internal/nettest | "$scratch/testlog" -allowed-skips /dev/null
	MKDIRLOCK_NETLAB=1 MKDIRLOCK_CHAOS=30s MKDIRLOCK_CHAOS_SEED=1 go test -count=1 -timeout 10m -json \
		-run '^TestChaos$/^nfs4$' ./internal/chaos | "$scratch/testlog" -allowed-skips /dev/null
	unset MKDIRLOCK_NETLAB_KERNEL
}

netlab_install() {
	local need missing=()
	for need in "${netlab_needs[@]}"; do
		command -v "${need%%:*}" >/dev/null || missing+=("${need#*:}")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	echo "installing: ${missing[*]}"
	apt-get update -qq
	# The servers are for the lab's own kernels: none is to be started here.
	local policy=/usr/sbin/policy-rc.d ours=
	if [ ! -e "$policy" ]; then
		printf '#!/bin/sh\nexit 101\n' >"$policy"
		chmod +x "$policy"
		ours=yes
	fi
	apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
	[ -z "$ours" ] || rm -f "$policy"
}

# netlab_packages lists the packages whose tests ask for the lab or its mounts.
netlab_packages() {
	# shellcheck disable=SC2016
	go list -f '{{$p := .ImportPath}}{{range .TestImports}}{{$p}} {{.}}
{{end}}{{range .XTestImports}}{{$p}} {{.}}
{{end}}' ./... | awk '$2 ~ /\/internal\/netlab(\/|$)/ { print $1 }' | sort -u
}
