"""More connections than there are descriptors."""

from __future__ import annotations

import os
import resource
import socket
import time
from pathlib import Path

from tests.journeys.running import LOGIN, SOON, JourneyCase, Service, message, until

#: What is said to those who are served, and to others, by the name of the listener.
WORDS = {"smtp": (b"220 ", b"421 4.7.0"), "imap": (b"* OK", b"* BYE"), "http": (b"HTTP/1.1 200", b"HTTP/1.1 503")}


def come(service: Service, name: str) -> tuple[socket.socket, bytes]:
    """One connection, and the first that is said on it."""
    one = socket.create_connection(("127.0.0.1", service.port(name)), SOON)
    if name == "http":
        try:
            one.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
        except OSError:
            # It is closed already, and has been told.
            pass
    return one, one.recv(4096)


def work(service: Service) -> float:
    """Seconds of processor time the service has used."""
    assert service.process is not None
    fields = Path(f"/proc/{service.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class DescriptorTests(JourneyCase):
    """With 220 descriptors at most, and 100 before it raises that."""

    def test_crowd(self) -> None:
        """
        400 at each door: some are served, all others told; the store and Redis go on; then all is as before.
        """
        service = self.service()
        service.descriptors = 100, 220
        service.start()
        assert service.process is not None
        self.assertEqual(resource.prlimit(service.process.pid, resource.RLIMIT_NOFILE), (220, 220))
        held: list[socket.socket] = []
        try:
            with service.smtp() as sender, service.imap() as reader:
                counts = {}
                for name, (served, refused) in WORDS.items():
                    good = bad = 0
                    for _ in range(400):
                        one, said = come(service, name)
                        held.append(one)
                        good += said.startswith(served)
                        bad += said.startswith(refused)
                        if said.startswith(refused):
                            self.assertEqual(held.pop().recv(4096), b"")
                            one.close()
                    counts[name] = good, bad
                    self.assertEqual(good + bad, 400, counts)
                self.assertGreater(counts["smtp"][0], 10, counts)
                self.assertGreater(min(bad for _, bad in counts.values()), 300, counts)
                # Nothing is free at the door; behind it everything is.
                for n in range(20):
                    sender.sendmail("a@b.test", [LOGIN], message("a@b.test", LOGIN, f"mail {n}", "x" * n * 1000))
                until(lambda: int((reader.select("INBOX")[1][0] or b"0")) >= 20)
                self.assertEqual(reader.fetch("20", "(BODY[])")[0], "OK")
                for one in held[:30]:
                    one.close()
                until(lambda: come(service, "http")[1].startswith(b"HTTP/1.1 200"))
                self.assertEqual(service.get("/readyz").status, 200)
                self.assertEqual(len(service.good("GET", f"/api/mailboxes/{LOGIN}/messages")), 20)
        finally:
            for one in held:
                one.close()
        for name, (served, _) in WORDS.items():
            until(lambda: come(service, name)[1].startswith(served))
        self.assertIn("no descriptors for more than", service.logged())

    def test_at_once(self) -> None:
        """600 that come at once and only stay cost no processor time; whoever comes then is still told."""
        service = self.service()
        service.descriptors = 220, 220
        service.start()
        crowd = [socket.socket() for _ in range(600)]
        try:
            for n, one in enumerate(crowd):
                one.setblocking(False)
                one.connect_ex(("127.0.0.1", service.port(("smtp", "imap", "http", "smtps", "imaps")[n % 5])))
            time.sleep(1.0)
            begin = work(service)
            time.sleep(2.0)
            self.assertLess(work(service) - begin, 0.4)
            one, said = come(service, "smtp")
            one.close()
            self.assertTrue(said.startswith(b"421 "), said)
        finally:
            for one in crowd:
                one.close()
        until(lambda: come(service, "smtp")[1].startswith(b"220 "))
