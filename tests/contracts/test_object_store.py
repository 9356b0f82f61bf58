"""What every store of objects does: S3 as SeaweedFS serves it, and the one in memory."""

from __future__ import annotations

import os
import time
from typing import Any

from twisted.internet.defer import gatherResults, succeed
from twisted.internet.threads import deferToThread
from twisted.trial.unittest import TestCase
from zope.interface.verify import verifyObject

from simmail.core.records.objects import ObjectPage
from simmail.errors import NotFound
from simmail.interfaces import IObjectStore
from simmail.outbound.http_client import Gate
from simmail.outbound.object_store import KEPT, S3ObjectStore, Secret
from simmail.testing.objects import MemoryObjects
from tests import seaweed


class ObjectStoreContract:
    """Mixed into a test case with C{store}, which has nothing yet."""

    store: Any

    def test_interface(self) -> None:
        """It is a store."""
        verifyObject(IObjectStore, self.store)

    async def test_get(self: Any) -> None:
        """What was put is read, whatever octets it has, and however many."""
        for octets in (b"", b"\0\r\n\xff", os.urandom(3 * 1024 * 1024)):
            await self.store.put("universes/a-1/x_y.z", octets)
            self.assertEqual(await self.store.get("universes/a-1/x_y.z"), octets)

    async def test_get_many(self: Any) -> None:
        """Large ones are read whole one after the other, whatever came before them."""
        octets = [os.urandom(1 + 400 * 1024 * one) for one in range(8)]
        for number, one in enumerate(octets):
            await self.store.put(f"a/{number}", one)
        for _ in range(5):
            for number, one in enumerate(octets):
                self.assertEqual(await self.store.get(f"a/{number}"), one)

    async def test_missing(self: Any) -> None:
        """What was not put is not there."""
        with self.assertRaises(NotFound):
            await self.store.get("nothing")
        self.assertEqual(await self.store.list(""), ObjectPage([], ""))
        self.assertEqual(self.store.trouble, "")

    async def test_put_new(self: Any) -> None:
        """The first is there; who comes later is told so, and has changed nothing."""
        self.assertTrue(await self.store.put_new("log/1", b"first"))
        self.assertFalse(await self.store.put_new("log/1", b"second"))
        self.assertTrue(await self.store.put_new("log/1", b"first"), "it is there, with these octets")
        self.assertEqual(await self.store.get("log/1"), b"first")
        self.assertEqual(self.store.trouble, "")

    async def test_put_new_at_once(self: Any) -> None:
        """Of several who put at once, one does."""
        done = await gatherResults([self.store.put_new("log/1", b"%d" % one) for one in range(8)])
        self.assertEqual(sorted(done), [False] * 7 + [True])
        self.assertEqual(await self.store.get("log/1"), b"%d" % done.index(True))

    async def test_delete(self: Any) -> None:
        """What was removed is gone, and may be put again; removing nothing does nothing."""
        await self.store.delete("a/1")
        await self.store.put("a/1", b"x")
        await self.store.delete("a/1")
        with self.assertRaises(NotFound):
            await self.store.get("a/1")
        self.assertTrue(await self.store.put_new("a/1", b"y"))

    async def test_list(self: Any) -> None:
        """Names are listed by what they begin with, those of one folder in order."""
        for name in ("u/b/2", "u/a/10", "u/a/2", "u/a-b/1", "v/1"):
            await self.store.put(name, b"x")
        self.assertEqual(await self.store.list("u/a/"), ObjectPage(["u/a/10", "u/a/2"], ""))
        self.assertEqual(sorted((await self.store.list("u/")).names), ["u/a-b/1", "u/a/10", "u/a/2", "u/b/2"])
        self.assertEqual(await self.store.list("u/c"), ObjectPage([], ""))

    async def test_pages(self: Any) -> None:
        """A long list comes in pages, over all folders."""
        names = [f"many/{number % 3}/{number:04}" for number in range(1100)]
        for begin in range(0, len(names), 50):
            await gatherResults([self.store.put(name, b"") for name in names[begin:begin + 50]])
        for prefix in ("many/", "many/1/"):
            found, token = [], ""
            while True:
                page = await self.store.list(prefix, token)
                found += page.names
                token = page.token
                if not token:
                    break
            wanted = sorted(name for name in names if name.startswith(prefix))
            self.assertEqual(sorted(found) if prefix == "many/" else found, wanted)


class MemoryObjectsTests(ObjectStoreContract, TestCase):
    """The one in memory."""

    def setUp(self) -> None:
        """It is empty."""
        self.store = MemoryObjects()


class S3ObjectStoreTests(ObjectStoreContract, TestCase):
    """A bucket of SeaweedFS."""

    timeout = 120
    skip = seaweed.MISSING or None

    def setUp(self) -> None:
        """It is empty."""
        from twisted.internet import reactor

        gate = Gate(reactor, lambda host: succeed([host]), kept=KEPT, quiet=0.0)
        self.addCleanup(gate.close)
        self.store = S3ObjectStore(
            gate, reactor, seaweed.seaweed().bucket(), seaweed.REGION,  # type: ignore[arg-type]
            Secret(seaweed.ACCESS_KEY, seaweed.SECRET_KEY), 20.0, time.time, deferToThread)
