"""A cluster of Valkey on loopback, for tests."""

from __future__ import annotations

import atexit
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import hiredis
from twisted.trial.unittest import SkipTest

from simmail.database.cluster.primaries import SLOTS, slot
from simmail.database.private.program import find
from simmail.errors import Unavailable
from tests.stopwatch import Stopwatch


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on, nor on the ones ten thousand higher, where members talk to each other."""
    found: list[int] = []
    # Below those that connections are made from.
    candidate = 10000 + hash(tempfile.gettempdir() + str(time.monotonic_ns())) % 12000
    while len(found) < count:
        candidate += 1
        try:
            for port in (candidate, candidate + 10000):
                with socket.socket() as one:
                    one.bind(("127.0.0.1", port))
        except OSError:
            continue
        found.append(candidate)
    return found


@cache
def shared() -> Cluster:
    """One that tests share which leave it as it is; it ends with the process."""
    cluster = Cluster()
    atexit.register(cluster.close)
    return cluster


class Cluster:
    """
    So many primaries with the slots divided among them, and replicas of the first ones.

    @param patience: milliseconds after which a member that does not answer is taken for dead.
    @ivar ports: of the primaries, then of the replicas.
    """

    def __init__(self, primaries: int = 3, replicas: int = 0, patience: int = 500) -> None:
        self._patience = patience
        try:
            self._program = find()
        except Unavailable as error:
            raise SkipTest(str(error)) from None
        self._folder = Path(tempfile.mkdtemp(prefix="simmail-cluster-"))
        self.ports = free_ports(primaries + replicas)
        self._processes = dict[int, subprocess.Popen[bytes]]()
        try:
            self._make(primaries)
        except BaseException:
            # Nobody else knows of those that have begun.
            self.close()
            raise

    def _make(self, primaries: int) -> None:
        for port in self.ports:
            (self._folder / str(port)).mkdir()
            self.start(port)
        first = self.ports[0]
        for at, port in enumerate(self.ports):
            self.ask(port, "CLUSTER", "SET-CONFIG-EPOCH", str(at + 1))
            if at < primaries:
                begin, end = SLOTS * at // primaries, SLOTS * (at + 1) // primaries
                self.ask(port, "CLUSTER", "ADDSLOTSRANGE", str(begin), str(end - 1))
            if at:
                self.ask(first, "CLUSTER", "MEET", "127.0.0.1", str(port))
        self.until(self._whole)
        for at, port in enumerate(self.ports[primaries:]):
            self.ask(port, "CLUSTER", "REPLICATE", self.ask(self.ports[at], "CLUSTER", "MYID").decode())
        self.until(lambda: all(b"master_link_status:up" in self.ask(port, "INFO", "replication")
                               for port in self.ports[primaries:]))

    def _whole(self) -> bool:
        return all(b"cluster_state:ok" in self.ask(port, "CLUSTER", "INFO") and
                   len(self.ask(port, "CLUSTER", "NODES").splitlines()) == len(self.ports) for port in self.ports)

    @property
    def urls(self) -> list[str]:
        """URLs of all."""
        return [f"redis://127.0.0.1:{port}" for port in self.ports]

    def start(self, port: int) -> None:
        """Start one, and wait until it answers."""
        self._processes[port] = subprocess.Popen([
            self._program, "--port", str(port), "--bind", "127.0.0.1", "--cluster-enabled", "yes", "--save", "",
            "--cluster-node-timeout", str(self._patience), "--cluster-replica-validity-factor", "0", "--appendonly",
            "yes", "--appendfsync", "always", "--dir", str(self._folder / str(port)), "--loglevel", "warning",
            "--repl-diskless-sync-delay", "0"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def answers() -> bool:
            try:
                return self.ask(port, "PING") == b"PONG"
            except OSError:
                return False

        self.until(answers)

    def add(self) -> int:
        """One more, which has no slot; its port."""
        [port] = free_ports(1)
        (self._folder / str(port)).mkdir()
        self.start(port)
        self.ask(self.ports[0], "CLUSTER", "MEET", "127.0.0.1", str(port))
        self.ports.append(port)
        self.until(self._whole)
        return port

    def of(self, key: str) -> list[int]:
        """The ports of the primary that has a key, and of its replicas that are not known to be dead."""
        at = slot(key)
        for port in self._processes:
            for first, last, *nodes in self.ask(port, "CLUSTER", "SLOTS"):
                if first <= at <= last:
                    return [one[1] for one in nodes]
        raise AssertionError(f"nobody has {key}")

    def online(self, key: str) -> bool:
        """Whether a replica has all that the primary of a key has."""
        port, *_ = self.of(key)
        return port in self._processes and b"state=online" in self.ask(port, "INFO", "replication")

    def cut_off(self, key: str) -> list[int]:
        """The replicas that have a key get nothing any more, though they are there; their ports."""
        port, *replicas = self.of(key)
        for one in replicas:
            self.ask(one, "CONFIG", "SET", "primaryauth", "wrong")
        self.ask(port, "CLIENT", "KILL", "TYPE", "REPLICA")
        return replicas

    def let_in(self, replicas: Iterable[int]) -> None:
        """They get it again."""
        for one in replicas:
            self.ask(one, "CONFIG", "SET", "primaryauth", "")

    def kill(self, port: int) -> None:
        """C{kill -9} of one."""
        process = self._processes.pop(port)
        process.kill()
        process.wait()

    def close(self) -> None:
        """All are gone."""
        for port in list(self._processes):
            self.kill(port)
        shutil.rmtree(self._folder)

    def clear(self) -> None:
        """All are empty."""
        for port in self._processes:
            self.ask(port, "FLUSHALL")

    def ask(self, port: int, *words: str) -> Any:
        """What one answers to a command."""
        with socket.create_connection(("127.0.0.1", port), 5) as one:
            one.sendall(hiredis.pack_command(words))  # type: ignore[arg-type]
            reader = hiredis.Reader()
            while (reply := reader.gets()) is False:
                octets = one.recv(65536)
                if not octets:
                    raise OSError("it hung up")
                reader.feed(octets)
            return reply

    def until(self, condition: Any) -> None:
        """Wait for a condition."""
        watch = Stopwatch()
        while not condition():
            if watch.seconds() > 10:
                raise AssertionError("not within 10 s")
            time.sleep(0.01)


class KeyByKey:
    """A slot that is moved from one primary to another as C{redis-cli --cluster reshard} does it, step by step."""

    def __init__(self, cluster: Cluster, slot: int, source: int, target: int) -> None:
        """@param source, target: their ports."""
        self._cluster, self._slot = cluster, str(slot)
        self._source, self._target = source, target

    def begin(self) -> None:
        """Nothing has gone yet."""
        for port, state, other in (
                (self._target, "IMPORTING", self._source), (self._source, "MIGRATING", self._target)):
            self._set(port, state, self._cluster.ask(other, "CLUSTER", "MYID").decode())

    def keys(self, port: int = 0) -> list[str]:
        """Those that have not gone; C{port}: those that another has."""
        found = self._cluster.ask(port or self._source, "CLUSTER", "GETKEYSINSLOT", self._slot, "100000")
        return [key.decode() for key in found]

    def carry(self, *keys: str) -> None:
        """Some go, one by one; that one is gone already does not matter."""
        for key in keys:
            reply = self._cluster.ask(
                self._source, "MIGRATE", "127.0.0.1", str(self._target), key, "0", "1000")
            assert reply in (b"OK", b"NOKEY"), reply

    def end(self, *ports: int) -> None:
        """The slot is the other's; all are told, unless some are given."""
        assert not self.keys()
        node = self._cluster.ask(self._target, "CLUSTER", "MYID").decode()
        for port in ports or (self._target, self._source, *self._cluster.ports):
            self._set(port, "NODE", node)

    def give_up(self, *ports: int) -> None:
        """The move is off, as some know: both, unless they are given."""
        for port in ports or (self._source, self._target):
            self._set(port, "STABLE")

    def _set(self, port: int, *words: str) -> None:
        reply = self._cluster.ask(port, "CLUSTER", "SETSLOT", self._slot, *words)
        assert reply == b"OK", reply
