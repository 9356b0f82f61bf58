"""
What a private Redis is started by, and what ends it when nobody has used it for long.

    python guardian.py LOCK LINGER PROGRAM ARGUMENT...

It becomes the program, in a session of its own, and leaves a small process beside it.  That one looks
whether the lock of the daemon is held; once it was free for LINGER real seconds it holds the lock itself,
so that no daemon begins meanwhile, and ends the program.  It is run by its path, alone: it imports nothing
of the package.
"""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import sys
from collections.abc import Sequence
from time import monotonic, sleep

#: Real seconds between two looks, at most; that the program has to end in before it is killed.
LOOK, GRACE = 1.0, 4.0


def run(lock: str, linger: float, program: str, arguments: Sequence[str]) -> None:
    """Become the program.  C{linger} of 0: nobody looks after it."""
    # Ctrl-C in a terminal must reach the daemon, not its Redis.
    os.setsid()
    pid = os.getpid()
    if linger > 0 and os.fork() == 0:
        try:
            watch(pid, lock, linger)
        finally:
            os._exit(0)
    try:
        os.execv(program, [program, *arguments])
    except OSError as error:
        os.write(2, f"{program}: {error.strerror}\n".encode())
        os._exit(127)


def watch(pid: int, path: str, linger: float) -> None:
    """
    Until the program has ended, by itself or because the lock was free for so long.

    Where the folder of the lock is gone nobody can hold it any more, nor find the program.
    """
    # The lock that tells of the program ends with it alone.
    os.closerange(3, 64)
    look = min(LOOK, linger / 4)
    begun: float | None = None
    while os.getppid() == pid:
        sleep(look)
        if _is_held(path):
            begun = None
            continue
        now = monotonic()
        begun = now if begun is None else begun
        if now - begun >= linger:
            _end(pid)
            return


def _is_held(path: str) -> bool:
    """Whether somebody has a lock; where the disk refuses to say it may be."""
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        return error.errno not in (errno.ENOENT, errno.ENOTDIR)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(lock)
    return False


def _end(pid: int) -> None:
    os.write(2, b"simmail is gone for long: Redis is ended\n")
    # With the program's own end all of its group would be killed, this process too, before it lets go of the lock.
    for number in (signal.SIGTERM, signal.SIGKILL):
        if os.getppid() != pid:
            return
        os.kill(pid, number)
        until = monotonic() + GRACE
        while os.getppid() == pid and monotonic() < until:
            sleep(0.01)


if __name__ == "__main__":
    run(sys.argv[1], float(sys.argv[2]), sys.argv[3], sys.argv[4:])
