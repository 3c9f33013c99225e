# Borg's ExclusiveLock. Default: timeout=None, with which it sleeps 1 s between tries. Fast: sleep=0.01.
import kit
from borg import __version__
from borg.locking import ExclusiveLock
from borg.logger import setup_logging

setup_logging(level="error")  # borg's logger raises until it is set up
lock = ExclusiveLock(kit.PATH or "unused", sleep=0.01 if kit.FAST else None)
kit.main("borg " + __version__, lock.acquire, lock.release)
