# A worker whose lock is free once, and never again after a crash.
now() { awk '{ printf "%d\n", $1 * 1e9 }' /proc/uptime; }
if [ "$1" = hold ]; then
	: >"$LOCK_PATH"
	echo ACQ "$(now)"
	read -r _
	exit
fi
echo WAIT "$(now)"
while [ -e "$LOCK_PATH" ]; do sleep 0.05; done
echo ACQ "$(now)"
