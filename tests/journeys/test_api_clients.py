"""Programs that talk to a running service with the clients it ships."""

from __future__ import annotations

import asyncio
import imaplib
import os
import re
import shutil
import smtplib
import subprocess
from textwrap import dedent

from simmail.client import ApiError, AsyncClient, Client
from tests.docs.blocks import DOCS
from tests.journeys.running import SOON, JourneyCase

START = "2026-03-02T09:00:00Z"

#: Answers everything within the day.
MARIA = {"name": "Maria Rossi", "temperament": "responsive", "timing": {"reply_rate": 1, "delay": {"median": "20m"}}}


class ClientTests(JourneyCase):
    """One service for all."""

    def test_all(self) -> None:
        """The clients do what they say, each in a universe of its own."""
        service = self.service()
        service.start()
        url = f"http://127.0.0.1:{service.port('http')}"
        self.sync(url, service.key)
        asyncio.run(self.later(url, service.key))
        page = (DOCS / "testing.rst").read_text(encoding="utf-8")
        self.node(url, service.key, page)
        blocks = re.findall(r"::\n\n((?:    .*\n|\n)*?    from simmail.client import.*\n(?:    .*\n|\n)*)", page)
        self.assertEqual(len(blocks), page.count("from simmail.client import"))
        for block in blocks:
            exec(dedent(block), {"BASE": url, "KEY": service.key, "print": self.assertTrue})

    def node(self, url: str, key: str, page: str) -> None:
        """The module that is served does the same in Node, and what the page shows works."""
        if shutil.which("node") is None:
            return
        block = re.search(r"::\n\n((?:    .*\n|\n)*?    const module = .*\n(?:    .*\n|\n)*)", page)
        assert block is not None
        script = "import assert from 'node:assert';\n" + dedent(block[1]) + """
            const fork = await shop.fork();
            const login = fork.login;
            assert.ok(login.username.endsWith("%" + fork.universe) && login.password);
            assert.strictEqual((await fork.inbox("app@sim.test", {limit: 5})).length, 1);
            assert.strictEqual((await fork.extract({text: "Your code is 471193"})).codes[0].value, "471193");
            assert.ok((await shop.snapshot("here")).startsWith("s_"));
            assert.strictEqual((await fork.advance({by: "1d"})).stopped_by, "to");
            await fork.send({from: "maria@acme.test", to: "app@sim.test", subject: "Again", text: "Hello"});
            assert.strictEqual((await fork.wait("app@sim.test", {subject: "Again"})).message.subject, "Again");
            await assert.rejects(fork.waitReply({persona: "nobody@acme.test"}), {name: "ApiError", status: 404});
            await assert.rejects(fork.wait("app@sim.test", {timeout: "6m"}), {text: "timeout: at most 5m"});
            await fork.send({from: "maria@acme.test", to: "b@sim.test", cc: "app@sim.test", subject: "Both"});
            const {messages} = await fork.wait({to: "app@sim.test", count: 2, from: "maria", existing: true});
            assert.strictEqual(messages.length, 2);
            assert.deepStrictEqual(await fork.place("smtp"), await shop.place("SMTP"));
            await assert.rejects(fork.place("POP3"), RangeError);
            assert.strictEqual((await fork.waitReply("maria@acme.test")).message.from, "maria@acme.test");
            await fork.waitNone("app@sim.test", {subject: "never", timeout: "0s"});
        """
        ran = subprocess.run(["node", "--input-type=module", "-e", script], capture_output=True, text=True,
                             timeout=2 * SOON, env={**os.environ, "BASE": url, "KEY": key})
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))

    def sync(self, url: str, key: str) -> None:
        """Mail, time, people, what happened, and universes of its own."""
        with Client(url, key) as admin, admin.create(clock=START, seed="one") as shop:
            self.assertEqual(shop.add_persona("maria@acme.test", **MARIA).name, "Maria Rossi")
            self.assertEqual(shop.add_case("Invoice INV-7", keys=["INV-7"]).id, shop.cases()[0].id)
            self.assertEqual([one.address for one in shop.personas()], ["maria@acme.test"])
            before = shop.snapshot("before")
            sent = shop.send("app@sim.test", "maria@acme.test", "Lunch?", "Do you have time on Friday at 12:30?")
            self.assertEqual([one.kind for one in shop.jobs()][-1:], ["reply"])
            fork = shop.fork(seed="two")
            answer = shop.wait_reply("maria@acme.test", advance=True)
            self.assertEqual(answer.message.in_reply_to, sent)
            self.assertEqual(shop.wait_reply(in_reply_to=sent).message, answer.message)
            self.assertEqual([one.message_id for one in shop.inbox("app@sim.test", "from:maria")],
                             [answer.message.message_id])
            self.assertIn("Maria Rossi wrote", shop.explain(sent))
            self.assertNotIn("next:", shop.explain(sent))
            self.assertEqual([one.id for one in shop.events("persona.sent")], [
                one.id for one in shop.events() if one.type == "persona.sent"])
            self.assertEqual(fork.inbox("app@sim.test"), [])
            self.mail(fork)
            self.assertGreaterEqual(fork.settle("0s").jobs_run, 1)
            self.assertEqual(fork.wait("app@sim.test", from_="maria", header=["X-Service-Simulated:yes"],
                                       timeout="1s").message.from_, "maria@acme.test")
            self.assertEqual(fork.extract("Your code is 471193").codes[0].value, "471193")
            self.assertEqual(len(fork.wait_several("app@sim.test", 1, existing=True).messages), 1)
            self.assertEqual(fork.extract(address="app@sim.test", uid=1).codes, [])
            for subject in ("One", "Two"):
                fork.send("a@shop.test", "b@sim.test", subject, f"Your code is {subject}", cc="app@sim.test")
            came = fork.wait_several("app@sim.test", 2, from_="a@shop.test")
            self.assertEqual({one.message.subject for one in came.messages}, {"One", "Two"})
            self.assertEqual((shop.score().score, shop.application().loops), (None, 0))
            shop.restore(before)
            shop.wait_none("app@sim.test", timeout="0s")
            self.assertEqual(shop.inbox("app@sim.test"), [])
            self.assertEqual(str(shop.advance(by="1d").to), "2026-03-03 09:00:00+00:00")
            self.assertTrue(shop.reset())
            self.refused(shop, url)
            admin.delete(shop.universe)
            self.assertEqual(self.assertRaises(ApiError, shop.personas).status, 401)

    def mail(self, universe: Client) -> None:
        """Its login works over SMTP and IMAP."""
        login = universe.login
        with smtplib.SMTP(*universe.place("SMTP"), timeout=SOON) as smtp:
            smtp.login(login.username, login.password)
            self.assertEqual(universe.place("smtp"), universe.place("SMTP"))
            smtp.sendmail(login.address, ["maria@acme.test"], "Subject: Friday\r\n\r\nShall we meet on Friday?\r\n")
        with imaplib.IMAP4(*universe.place("IMAP"), timeout=SOON) as imap:
            imap.login(login.username, login.password)
        self.assertRaises(LookupError, universe.place, "POP3")

    def refused(self, universe: Client, url: str) -> None:
        """Errors carry what the API says."""
        error = self.assertRaises(ApiError, universe.wait_reply, "nobody@acme.test")
        self.assertEqual((error.status, "nobody@acme.test" in error.text), (404, True))
        error = self.assertRaises(ApiError, universe.wait, "app@sim.test", timeout="6m")
        self.assertEqual((error.status, error.text), (400, "timeout: at most 5m"))
        self.assertEqual(self.assertRaises(ApiError, Client(url, "sm_no").personas).status, 401)
        self.assertEqual(self.assertRaises(ApiError, Client("http://127.0.0.1:1").personas).status, 0)
        self.assertRaises(LookupError, lambda: Client(url).login)
        self.assertRaises(ValueError, Client, "127.0.0.1:8025")

    async def later(self, url: str, key: str) -> None:
        """The same calls, to be awaited; many wait at once."""
        async with AsyncClient(url, key) as admin, await admin.create(clock=START) as shop:
            await shop.add_persona("maria@acme.test", **MARIA)
            self.assertEqual((shop.login, shop.universe), (shop.client.login, shop.client.universe))
            forks = await asyncio.gather(*(shop.fork() for _ in range(8)))
            sent = [await one.send("app@sim.test", "maria@acme.test", "Lunch?", "Friday?") for one in forks]
            answers = await asyncio.gather(*(one.wait_reply(in_reply_to=each, advance=True)
                                             for one, each in zip(forks, sent, strict=True)))
            self.assertEqual([one.message.in_reply_to for one in answers], sent)
            with self.assertRaises(ApiError) as caught:
                await shop.wait("app@sim.test", timeout="0s")
            self.assertEqual(caught.exception.status, 408)
            for one in forks:
                one.close()
