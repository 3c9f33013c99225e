# What runs between real containers on this machine: internal/containerlab says what of. Elsewhere these tests skip, for want of
# MKDIRLOCK_CONTAINERS=1; here a skip is a failure, as is a package that cannot be had or a runtime that cannot be started.

# command:package
containers_needs=(
	dockerd:docker.io
	podman:podman
	crun:crun
	runc:runc
	conmon:conmon
	newuidmap:uidmap
	slirp4netns:slirp4netns
	fuse-overlayfs:fuse-overlayfs
	bwrap:bubblewrap
	systemd-nspawn:systemd-container
	lxc-execute:lxc
	busybox:busybox-static
	criu:criu
	unshare:util-linux
	nsenter:util-linux
	setpriv:util-linux
)

step_containers() {
	if [ "$(uname -s)" != Linux ] || [ "$(id -u)" -ne 0 ]; then
		echo "not root on Linux: there are no containers to be had here, and their tests do not run"
		return
	fi
	containers_install
	local packages log=$scratch/containers.json rc=0
	packages=$(containers_packages)
	[ -n "$packages" ] || die "no package is tested between containers"
	printf '%s\n' "$packages"
	build_testlog
	# One package at a time, and much of what it does at once is waiting.
	# shellcheck disable=SC2086
	MKDIRLOCK_CONTAINERS=1 go test -count=1 -p 1 -parallel 8 -timeout 20m -json $packages | tee "$log" | "$scratch/testlog" -allowed-skips /dev/null || rc=$?
	# What may be absent, and is: MayBeAbsent of the lab says why it may.
	grep -o 'NOT TESTED: [^"\\]*' "$log" | sort -u || true
	return "$rc"
}

containers_install() {
	local need missing=()
	for need in "${containers_needs[@]}"; do
		command -v "${need%%:*}" >/dev/null || missing+=("${need#*:}")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	echo "installing: ${missing[*]}"
	apt-get update -qq
	# The daemons are for the labs alone: none is to be started here.
	local policy=/usr/sbin/policy-rc.d ours=
	if [ ! -e "$policy" ]; then
		printf '#!/bin/sh\nexit 101\n' >"$policy"
		chmod +x "$policy"
		ours=yes
	fi
	apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
	[ -z "$ours" ] || rm -f "$policy"
}

# containers_packages lists the packages whose tests ask for the lab.
containers_packages() {
	# shellcheck disable=SC2016
	go list -f '{{$p := .ImportPath}}{{range .TestImports}}{{$p}} {{.}}
{{end}}{{range .XTestImports}}{{$p}} {{.}}
{{end}}' ./... | awk '$2 ~ /\/internal\/containerlab$/ { print $1 }' | sort -u
}
