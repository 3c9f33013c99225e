# flufl.lock. Default: lifetime 15 s, a fixed slop of 10 s, random sleeps of 0.01 to 2.01 s (not settable).
# Fast: lifetime 1 s. It has no heartbeat: the holder must call refresh().
from importlib.metadata import version

import kit
from flufl.lock import Lock

lock = Lock(kit.PATH or "unused", lifetime=1 if kit.FAST else None)
kit.main("flufl.lock " + version("flufl.lock"), lock.lock, lock.unlock)
