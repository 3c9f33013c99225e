"""Turns one lock into a worker of the benchmarks, as package kit does for Go; README.md has the protocol."""
import os
import sys
import time

PATH = os.environ.get("LOCK_PATH", "")
FAST = os.environ.get("LOCK_PROFILE") == "fast"
WITNESS = os.environ.get("LOCK_WITNESS", "")
GATED = bool(os.environ.get("LOCK_GATE"))
SECTION = int(os.environ.get("LOCK_SECTION_US") or 0) / 1e6
now = time.monotonic_ns  # CLOCK_MONOTONIC


def say(*words):
    print(*words, flush=True)


def gate():
    if not GATED:
        return True
    say("READY")
    line = sys.stdin.readline()
    if not line:
        return False
    time.sleep(max(0, int(line) - now()) / 1e9)
    return True


def inside():
    """The guarded section: False if another holder is inside too."""
    try:
        os.close(os.open(WITNESS, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return False
    if SECTION:
        time.sleep(SECTION)
    try:
        os.unlink(WITNESS)
    except FileNotFoundError:
        pass  # there were two holders, and a third one came and went
    return True


def uncontended(acquire, release, ms):
    for long in (ms * 10**5, ms * 10**6):
        began, took, n = now(), 0, 0
        while took < long:
            acquire()
            release()
            n += 1
            took = now() - began
    say("NSOP", took // n)


def hold(acquire, release):
    acquire()
    say("ACQ", now())
    sys.stdin.readline()
    t = now()
    release()
    say("REL", t)


def wait(acquire, release):
    while gate():
        say("WAIT", now())
        try:
            acquire()
            t = now()
            say("ACQ", t)
            if WITNESS and not inside():
                say("VIOL", t)
            try:
                release()
            except Exception as e:
                say("RELERR", repr(e))
        except Exception as e:
            say("ERR", repr(e))
        say("DONE", now())
        if not GATED:
            return


def contend(acquire, release, seconds):
    if not gate():
        return
    sections = violations = errors = 0
    end = now() + seconds * 10**9
    while now() < end:
        try:
            acquire()
        except Exception as e:
            print("acquire:", repr(e), file=sys.stderr)
            errors += 1
            continue
        sections += 1
        violations += not inside()
        try:
            release()
        except Exception as e:
            print("release:", repr(e), file=sys.stderr)
            errors += 1
    say("COUNT", sections, violations, errors)


def main(version, acquire, release):
    """Does what the arguments ask for. acquire blocks until it has the lock at PATH."""
    role, numbers = sys.argv[1], [int(a) for a in sys.argv[2:]]
    if role == "version":
        say("VERSION", version)
        return
    roles = {"uncontended": uncontended, "hold": hold, "wait": wait, "contend": contend}
    if role not in roles:
        sys.exit("usage: version|hold|wait|uncontended MS|contend SECONDS")
    roles[role](acquire, release, *numbers)
