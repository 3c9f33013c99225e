# filelock's SoftFileLock. Default: poll_interval 0.05 s. Fast: 0.01 s. Debian 12's version has no takeover.
import kit
from filelock import SoftFileLock, __version__

lock = SoftFileLock(kit.PATH)
kit.main("filelock " + __version__, lambda: lock.acquire(poll_interval=0.01 if kit.FAST else 0.05), lock.release)
