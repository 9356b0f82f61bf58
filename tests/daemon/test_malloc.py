"""How the C library of a serving process is set."""

from __future__ import annotations

import subprocess
import sys

from twisted.trial.unittest import SynchronousTestCase

from tests.journeys.running import environment

_HASHES = """
import ctypes, hashlib, threading
from simmail.daemon.malloc import give_back

def resident():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmRSS"))

def hashes():
    for _ in range(3):
        hashlib.scrypt(b"secret", salt=b"salt", n=1 << 14, r=8, p=1, maxmem=1 << 26)

done = give_back() if {set} else True
before = resident()
for _ in range(3):
    one = threading.Thread(target=hashes)
    one.start()
    one.join()
print(done, hasattr(ctypes.CDLL(None), "gnu_get_libc_version"), resident() - before)
"""

_HOLES = """
import ctypes
from simmail.daemon.malloc import give_back, trim

def resident():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmRSS"))

give_back()
before = resident()
short, longer = [], []
for n in range(2000):
    short.append(bytes(20_000))
    longer.append(bytes(600))
short.clear()
full = resident() - before
print(trim(), hasattr(ctypes.CDLL(None), "gnu_get_libc_version"), full, resident() - before)
"""


class MemoryTests(SynchronousTestCase):
    """What is free goes back."""

    def hashed(self, set: bool) -> tuple[bool, bool, int]:
        """Hash passwords in threads: whether memory was set, whether by the GNU C library, and MiB more than before."""
        told = subprocess.run([sys.executable, "-c", _HASHES.replace("{set}", str(set))], env=environment(),
                              capture_output=True, text=True, check=True).stdout.split()
        return told[0] == "True", told[1] == "True", int(told[2])

    def test_holes(self) -> None:
        """What lay between things that stay does not go back by itself, but when it is looked for."""
        told = subprocess.run([sys.executable, "-c", _HOLES], env=environment(), capture_output=True, text=True,
                              check=True).stdout.split()
        self.assertEqual(told[0], told[1])
        if told[1] == "True":
            self.assertGreater(int(told[2]), 30)
            # The pages that hold ends of what stays.
            self.assertLess(int(told[3]), 14)

    def test_hashes(self) -> None:
        """A password that was hashed leaves no 16 MiB behind in its thread."""
        done, glibc, kept = self.hashed(True)
        self.assertEqual(done, glibc)
        if glibc:
            self.assertLess(kept, 8)
            self.assertGreater(self.hashed(False)[2], 12)
