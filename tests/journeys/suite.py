"""
Tests of an imagined application, by way of the plugin for pytest: each in a universe of its own, all COUNT times.

C{COUNT=20 pytest --simmail -n 4 suite.py}; C{suite.mjs} has the same tests for Node.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from simmail.client import ApiError, Client

APP, MARIA = "app@sim.test", "maria@acme.test"

pytestmark = pytest.mark.parametrize("n", range(int(os.environ.get("COUNT", "1"))))


@pytest.fixture(scope="session", autouse=True)
def maria(simmail_base: Client) -> Iterator[None]:
    """Somebody who answers."""
    simmail_base.add_persona(MARIA, temperament="responsive", timing={"reply_rate": 1})
    yield


def send(mail: Client, subject: str, text: str) -> None:
    """A mail to the application."""
    mail.send("shop@other.test", APP, subject, text)


def test_reply(simmail: Client, n: int) -> None:
    """A reply comes in its thread."""
    sent = simmail.send(APP, MARIA, f"Lunch {n}?", "Do you have time on Friday?")
    answer = simmail.wait_reply(in_reply_to=sent, advance=True).message
    assert (answer.from_, answer.in_reply_to) == (MARIA, sent)


def test_alone(simmail: Client, n: int) -> None:
    """Nobody else's mail is there."""
    assert simmail.inbox(APP) == []
    send(simmail, f"Only {n}", "Hello")
    assert [one.subject for one in simmail.inbox(APP)] == [f"Only {n}"]


def test_code(simmail: Client, n: int) -> None:
    """A code is found in what comes."""
    send(simmail, "Your code", f"Your verification code is {481000 + n}.")
    assert simmail.wait(APP, existing=True).codes[0].value == str(481000 + n)


def test_link(simmail: Client, n: int) -> None:
    """A link is found in what comes."""
    send(simmail, "Welcome", f"Confirm: https://shop.test/confirm?id={n}")
    came = simmail.wait(APP, existing=True, subject="Welcome")
    assert [one.url for one in came.links] == [f"https://shop.test/confirm?id={n}"]


def test_extract(simmail: Client, n: int) -> None:
    """Codes are found in any text."""
    assert simmail.extract(f"Use {730000 + n} as your login code.").codes[0].value == str(730000 + n)


def test_none(simmail: Client, n: int) -> None:
    """No mail comes."""
    simmail.wait_none(APP, timeout="0s")
    with pytest.raises(ApiError) as refused:
        simmail.wait(APP, timeout="0s")
    assert refused.value.status == 408


def test_clock(simmail: Client, n: int) -> None:
    """The clock is one's own."""
    assert simmail.advance(by=f"{n + 1}h").to == datetime(2026, 3, 2, 9, tzinfo=UTC) + timedelta(hours=n + 1)


def test_fork(simmail: Client, simmail_admin: Client, n: int) -> None:
    """A fork is another universe."""
    send(simmail, f"First {n}", "Hello")
    with simmail.fork(simmail.snapshot("before")) as fork:
        send(fork, f"Second {n}", "Hello")
        assert (len(simmail.inbox(APP)), len(fork.inbox(APP))) == (1, 2)
        simmail_admin.delete(fork.universe)


def test_search(simmail: Client, n: int) -> None:
    """Mail is searched."""
    send(simmail, f"Invoice {n}", "Please pay.")
    send(simmail, "Newsletter", "Read this.")
    assert [one.subject for one in simmail.inbox(APP, q="subject:invoice")] == [f"Invoice {n}"]


def test_settle(simmail: Client, n: int) -> None:
    """All that is to happen happens."""
    simmail.send(APP, MARIA, f"Order {n}", "When does it come?")
    simmail.settle("0s")
    assert simmail.jobs() == []
    assert simmail.inbox(APP)
