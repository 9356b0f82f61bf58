"""The state folder becomes read-only, or is taken away, under the running service: all goes on once it is back."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager

from twisted.trial.unittest import SkipTest

from tests.journeys.disk import Unmountable, read_only, refused, send_one, subjects
from tests.journeys.failing import failing_disk
from tests.journeys.load import Load
from tests.journeys.running import JourneyCase, Service, command, end_redis, until
from tests.stopwatch import Stopwatch


class AwayTests(JourneyCase):
    """Promises, R7, for disks that are not full."""

    def test_read_only(self) -> None:
        """C{EROFS}: mail is put off, what is there can be read, and mail is taken again in the same process."""
        service = self.service()
        self._through(service, lambda: read_only(service.state), "Read-only file system")

    def test_taken_away(self) -> None:
        """The folder is renamed: the same, and nothing is made where it was."""
        service = self.service()

        @contextmanager
        def elsewhere() -> Iterator[None]:
            away = service.state.with_name("away")
            service.state.rename(away)
            yield
            self.assertFalse(service.state.exists())
            away.rename(service.state)

        self._through(service, elsewhere, "the folder mail is not where it was")

    def _through(self, service: Service, trouble: Callable[[], AbstractContextManager[None]], told: str) -> None:
        """Mail comes in before, while and after."""
        service.start()
        load = Load(service)
        load.create_people()
        self.assertEqual(load.uids(), {})
        self.addCleanup(load.end)
        load.begin(4, again=True)
        load.wait_for(30)
        process = service.process
        with ExitStack() as stack:
            try:
                stack.enter_context(trouble())
            except Unmountable as error:
                raise SkipTest(str(error)) from None
            watch = Stopwatch()
            until(lambda: told in service.get("/readyz").json()["checks"]["store"])
            self.assertLess(watch.seconds(), 2.0)
            self.assertEqual(service.get("/readyz").status, 503)
            self.assertEqual(refused(service), [])
            known = load.uids()
            answer = service.call("POST", "/api/admin/universes", {"id": "shop"})
            self.assertEqual((answer.status, list(answer.json())), (503, ["error"]))
            taken = len(load.acknowledged)
            until(lambda: load.refused.total() > 20)
            self.assertEqual(len(load.acknowledged), taken)
        watch = Stopwatch()
        until(lambda: service.get("/readyz").status == 200)
        load.wait_for(taken + 30)
        self.assertLess(watch.seconds(), 5.0)
        load.end()
        self.assertEqual(load.permanent, [])
        self.assertTrue(all(400 <= code < 500 for code in load.refused), load.refused)
        self.assertIs(service.process, process)
        now = load.uids()
        self.assertEqual({name: uid for name, uid in known.items() if now.get(name) != uid}, {})
        load.check(self)
        service.good("POST", "/api/admin/universes", {"id": "shop"})
        self.assertIn(told, service.logged())
        service.good("DELETE", "/api/admin/universes/shop")
        self.assertEqual(service.stop(), 0)
        checked = command("admin", "check", "--state", str(service.state))
        self.assertEqual(checked.returncode, 0, checked.stdout)

    def test_ends(self) -> None:
        """A service whose disk an error made read-only says so, is read, and ends when it is asked to."""
        service = self.service()
        stack = ExitStack()
        try:
            stack.enter_context(failing_disk(service.state))
        except Unmountable as error:
            raise SkipTest(str(error)) from None
        self.addCleanup(stack.close)
        self.addCleanup(self._end, service)
        service.start()
        self.assertEqual([send_one(service, "before") for _ in range(3)], [250] * 3)
        until(lambda: len(subjects(service) or []) == 3)
        subprocess.run(["mount", "-o", "remount,abort", str(service.state)], check=True)
        # Nobody has sent anything yet.
        watch = Stopwatch()
        until(lambda: "Read-only file system" in service.get("/readyz").json()["checks"]["store"])
        self.assertLess(watch.seconds(), 3.0)
        self.assertEqual(refused(service), [])
        for folder in ("INBOX", "Junk"):
            with service.imap(folder) as session:
                self.assertEqual((session.state, session.list()[0], session.status("Sent", "(MESSAGES)")[0]),
                                 ("SELECTED", "OK", "OK"))
        self.assertEqual(subjects(service), [("before", True)] * 3)
        self.assertEqual(service.stop(), 0)
        # It could not be removed.
        self.assertTrue((service.state / "endpoints.json").exists())

    def _end(self, service: Service) -> None:
        if service.process is not None and service.process.poll() is None:
            service.kill()
        end_redis(service.state)
