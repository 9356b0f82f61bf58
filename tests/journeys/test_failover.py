"""A server dies together with the Redis that has its universe: a real cluster with replicas, a real SeaweedFS."""

from __future__ import annotations

import os
import random
import time

from tests import seaweed
from tests.database.clusters import Cluster
from tests.journeys.failover import KEY, TAKEN, FailOver
from tests.journeys.running import LOGIN, JourneyCase, Service, message, until


class FailOverTests(JourneyCase):
    """Two servers, three primaries, three replicas."""

    skip = seaweed.MISSING or None

    def setUp(self) -> None:
        """Keys are in the environment."""
        self.patch(os, "environ", {
            **os.environ, "SEAWEED_KEY": seaweed.ACCESS_KEY, "SEAWEED_SECRET": seaweed.SECRET_KEY})

    def test_both_die(self) -> None:
        """
        Under load another serves within ten seconds, for it had all beforehand, and so has the one that comes back;
        nothing acknowledged is lost; nor where the replica lagged.
        """
        dice = random.Random(1)
        rounds = FailOver(self, 4, 1.0, dice)
        rounds.fill(5000)
        for heir, cut in (("b", 0.0), ("a", 0.7)):
            until(lambda: rounds.beforehand(heir) >= 5000)
            self.assertLess(rounds.play(cut).alone, TAKEN)
            until(lambda: rounds.beforehand(heir) == 0)
        rounds.finish(60.0)

    def test_not_confirmed(self) -> None:
        """While no replica confirms, a replicated universe takes nothing and says so; all goes on without a restart."""
        cluster = Cluster(3, 3, patience=2000)
        self.addCleanup(cluster.close)
        service = self.service({"redis": {"cluster": cluster.urls}, "objects": {
            "url": seaweed.seaweed().bucket(), "access_key_env": "SEAWEED_KEY", "secret_key_env": "SEAWEED_SECRET",
            "durability": "replicated"}, "server": {"node": "a", "demo": False}})
        service.start()
        local = service.universe("local", "2026-03-02T09:00:00Z", durability="local")
        service.good("PUT", "/api/pace", {"factor": 2.0})
        self.assertEqual((self.sent(service), service.get("/readyz").json()["checks"]["replica"]), (250, "ok"))
        replicas = cluster.cut_off(KEY)
        self.assertEqual(service.call("PUT", "/api/pace", {"factor": 3.0}).status, 503)
        ready = service.get("/readyz")
        self.assertEqual(ready.status, 503)
        self.assertIn("no replica", ready.json()["checks"]["replica"])
        begun = time.monotonic()
        self.assertEqual(service.call("PUT", "/api/pace", {"factor": 4.0}).status, 503)
        self.assertEqual(self.sent(service), 451)
        self.assertLess(time.monotonic() - begun, 1.0)
        with service.imap() as session:
            self.assertEqual(session.fetch("1", "(BODY[])")[0], "OK")
        self.assertEqual(service.get("/api/pace").json()["factor"], 2.0)
        service.good("PUT", "/api/pace", {"factor": 5.0}, key=local)
        cluster.let_in(replicas)
        until(lambda: service.get("/readyz").status == 200, 60.0)
        self.assertEqual(self.sent(service), 250)
        service.good("PUT", "/api/pace", {"factor": 6.0})
        self.assertIn("no replica confirms", service.logged())

    def sent(self, service: Service) -> int:
        """The code that decides about a small message."""
        with service.smtp() as session:
            session.ehlo()
            for step in (lambda: session.mail("x@sim.test"), lambda: session.rcpt(LOGIN)):
                if (code := step()[0]) != 250:
                    return code
            return session.data(message("x@sim.test", LOGIN, "Report", "Hello"))[0]
