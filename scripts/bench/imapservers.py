"""What C{scripts/bench/imap} measures with: the mail, a client, our server and Dovecot, each with its own Maildir."""

from __future__ import annotations

import json
import multiprocessing
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
USER, PASSWORD = "bench@acme.test", "bench-password"

DOVECOT = """
protocols = imap
base_dir = {home}/run
state_dir = {home}/run
log_path = {home}/dovecot.log
ssl = no
disable_plaintext_auth = no
default_vsz_limit = 2G
mail_max_userip_connections = 5000
service imap-login {{
  client_limit = 3000
  process_limit = 2
  service_count = 0
  chroot =
  inet_listener imap {{
    address = 127.0.0.1
    port = {port}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
service imap {{
  process_limit = 3000
}}
service anvil {{
  chroot =
}}
passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={home}/user
}}
mail_location = maildir:{home}/user/Maildir
first_valid_uid = 0
default_internal_user = {owner}
default_login_user = {owner}
"""


def a_mail(number: int) -> bytes:
    """A multipart message of about 2.7 KiB; each hundredth speaks of a zebra."""
    word = "zebra" if number % 100 == 0 else "horse"
    text = f"Dear all,\r\n\r\nthis is message {number} about a {word}.\r\n" + "Lorem ipsum dolor sit amet.\r\n" * 28
    return (
        f"Return-Path: <s{number % 50}@sim.test>\r\n"
        "Received: from a.example by b.example; Sun, 1 Mar 2026 09:00:00 +0000\r\n"
        f"From: Sender {number % 50} <s{number % 50}@sim.test>\r\nTo: Bench <{USER}>\r\n"
        f"Subject: Number {number} {word}\r\nMessage-ID: <{number}@bench.test>\r\n"
        f"Date: Sun, 1 Mar 2026 09:{number // 60 % 60:02}:{number % 60:02} +0000\r\n"
        "MIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=\"b1\"\r\n\r\n"
        f"--b1\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{text}\r\n"
        f"--b1\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>{text}</p>\r\n--b1--\r\n").encode()


def fill(folder: Path, count: int) -> None:
    """A Maildir of so many messages, all in C{cur}."""
    for name in ("cur", "new", "tmp"):
        (folder / name).mkdir(parents=True)
    for number in range(count):
        (folder / "cur" / f"{1772355600 + number}.M{number}P1.bench:2,").write_bytes(a_mail(number))


def lay(source: Path, target: Path) -> None:
    """The same messages once more, without writing them again."""
    target.mkdir(parents=True, exist_ok=True)
    for entry in os.scandir(source):
        try:
            os.link(entry.path, target / entry.name)
        except OSError:
            shutil.copy2(entry.path, target / entry.name)


class Client:
    """A raw IMAP client: looks at tags only, so that it is not what is measured."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=600)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._tags = 0
        greeting = b""
        while not greeting.endswith(b"\r\n"):
            greeting += self.socket.recv(65536)

    def login(self) -> Client:
        """Sign in."""
        self(f'LOGIN "{USER}" "{PASSWORD}"')
        return self

    def send(self, command: str, literal: bytes = b"") -> bytes:
        """Send a command; its tag."""
        self._tags += 1
        tag = f"t{self._tags}".encode()
        line = tag + b" " + command.encode()
        self.socket.sendall(line + (b" {%d+}\r\n" % len(literal) + literal if literal else b"") + b"\r\n")
        return tag

    def take(self, tag: bytes, command: str = "") -> bytes:
        """The end of the answer to a command, up to its tagged line."""
        tail, start = b"\n", b"\n" + tag + b" "
        while True:
            data = self.socket.recv(1 << 20)
            if not data:
                raise ConnectionError(f"closed during {command}")
            tail = tail[-8192:] + data[-8192:]
            at = tail.rfind(start) if data.endswith(b"\r\n") else -1
            if at >= 0:
                if not tail.startswith(b"OK", at + len(start)):
                    raise AssertionError(f"{command}: {tail[at:at + 200]!r}")
                return tail

    def __call__(self, command: str, literal: bytes = b"") -> bytes:
        """A command and the end of its answer."""
        return self.take(self.send(command, literal), command)


class Server:
    """One server under test."""

    name = ""
    port = smtp = 0
    process: subprocess.Popen[bytes]

    def start(self) -> None:
        """Run; it answers when this returns."""

    def stop(self) -> None:
        """End it."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)

    def wait(self) -> None:
        """Until it takes a login."""
        for _ in range(600):
            try:
                Client(self.port).login()
                return
            except (OSError, AssertionError):
                time.sleep(0.05)
        raise SystemExit(f"{self.name} does not answer")

    def memory(self) -> int:
        """Resident octets of all its processes."""
        total = 0
        family = {self.process.pid}
        for path in sorted(Path("/proc").glob("[0-9]*"), key=lambda one: int(one.name)):
            try:
                fields = (path / "stat").read_text().rpartition(")")[2].split()
                if int(fields[1]) in family or int(path.name) in family:
                    family.add(int(path.name))
                    for line in (path / "smaps_rollup").read_text().splitlines():
                        if line.startswith("Pss:"):
                            total += int(line.split()[1]) * 1024
            except OSError:
                continue
        return total


class Ours(Server):
    """simmail, with the Maildir laid where it keeps the mail of C{USER}."""

    name = "simmail"

    def __init__(self, home: Path, source: Path) -> None:
        self.home = home
        self._config = home / "config.yaml"
        if home.exists():
            return
        home.mkdir(parents=True)
        self._config.write_text(json.dumps({
            "listen": dict.fromkeys(("smtp", "smtps", "submission", "imap", "imaps", "http"), 0), "http": {"rate": 0}}))
        self.start()
        key = (home / "state" / "admin.key").read_text().strip()
        http = self._endpoints()["http"]["port"]
        urllib.request.urlopen(urllib.request.Request(
            f"http://127.0.0.1:{http}/api/accounts", method="POST", headers={"Authorization": f"Bearer {key}"},
            data=json.dumps({"address": USER, "password": PASSWORD}).encode()))
        self.stop()
        lay(source / "cur", home / "state" / "mail" / "main" / USER / "cur")

    def _endpoints(self) -> dict[str, dict[str, int]]:
        found: dict[str, dict[str, int]] = json.loads((self.home / "state" / "endpoints.json").read_text())
        return found

    def start(self) -> None:
        """As scripts/run does."""
        (self.home / "state").mkdir(exist_ok=True)
        (self.home / "state" / "endpoints.json").unlink(missing_ok=True)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "simmail", "run", "--state", str(self.home / "state"), "--config",
             str(self._config)], stdout=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": str(ROOT)})
        for _ in range(600):
            if (self.home / "state" / "endpoints.json").exists():
                break
            time.sleep(0.05)
        self.port = self._endpoints()["imap"]["port"]
        self.smtp = self._endpoints()["smtp"]["port"]

    def drop_index(self) -> None:
        """Delete the index, which is disposable."""
        shutil.rmtree(self.home / "state" / "index", ignore_errors=True)


class Dovecot(Server):
    """Dovecot, in a folder of its own."""

    name = "dovecot"

    def __init__(self, home: Path, source: Path) -> None:
        self.home = home
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        user = pwd.getpwuid(os.getuid())
        owner = user.pw_name if user.pw_uid else "dovecot"
        new = not home.exists()
        if not user.pw_uid:
            # It serves nobody's mail as root.
            user = pwd.getpwnam("mail")
        if new:
            (home / "user" / "Maildir").mkdir(parents=True)
            for name in ("new", "tmp"):
                (home / "user" / "Maildir" / name).mkdir()
            lay(source / "cur", home / "user" / "Maildir" / "cur")
        (home / "dovecot.conf").write_text(DOVECOT.format(
            home=home, port=self.port, password=PASSWORD, uid=user.pw_uid, gid=user.pw_gid, owner=owner))
        if new and os.getuid() == 0:
            for folder in (home.parent, home):
                folder.chmod(0o711)
            subprocess.run(["chown", "-R", f"{user.pw_uid}:{user.pw_gid}", str(home / "user")], check=True)

    def start(self) -> None:
        """In the foreground."""
        self.process = subprocess.Popen(
            ["dovecot", "-F", "-c", str(self.home / "dovecot.conf")], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)

    def drop_index(self) -> None:
        """Delete its indexes and caches, not the UID list."""
        for path in (self.home / "user" / "Maildir").glob("dovecot.index*"):
            path.unlink()


def _ask_noop(port: int, over: Any, answer: Any) -> None:
    client, longest = Client(port).login(), 0.0
    answer.send(0.0)
    while not over.wait(0.005):
        begin = time.perf_counter()
        client("NOOP")
        longest = max(longest, time.perf_counter() - begin)
    answer.send(longest)


class Bystander:
    """Another session, in a process of its own, which asks NOOP again and again."""

    def __init__(self, port: int) -> None:
        context = multiprocessing.get_context("fork")
        self._over = context.Event()
        self._answer, there = context.Pipe()
        self._process = context.Process(target=_ask_noop, args=(port, self._over, there), daemon=True)
        self._process.start()
        self._answer.recv()

    def stop(self) -> float:
        """The longest wait, in seconds."""
        self._over.set()
        longest: float = self._answer.recv()
        self._process.join()
        return longest
