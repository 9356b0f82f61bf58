"""
What C{/metrics} tells of the mail side (mail by the mail log's own words, sessions, what is still under way) and of
the process, and what C{/readyz} tells of damage: mailboxes and messages that are harmed while all others are served.

Mail and damage are collected from the log, where they are said by whoever sees them, in whichever process (for damage
L{simmail.mailstore.damage}).  Source: decisions, section 2 ("Health and metrics"); Prometheus's exposition format.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from twisted.internet.task import LoopingCall
from twisted.logger import ILogObserver, LogEvent
from zope.interface import implementer

from simmail.core.time.histogram import Histogram, lines

if TYPE_CHECKING:
    from simmail.server.server import MailServer


#: Places that are remembered; lines that are told, and characters of one.
MOST_KEPT, MOST_TOLD, LONGEST = 1000, 10, 200

#: Real seconds between two looks at how late the reactor is.
LOOK = 0.5

#: Reasons of refusals that are told apart.
MOST_REASONS = 100

_NUMBERS = re.compile(r"\d{3} \d\.\d{1,3}\.\d{1,3}(?= )")


@implementer(ILogObserver)
class LogFigures:
    """
    What the log says, counted.

    @ivar words: lines of the mail log by their first word (accepted, refused, planned, answered ...).
    @ivar reasons: what was refused, by what is wrong with its address, or by the numbers of the answer.
    @ivar deliveries: from the last octet of a message until it is filed and its sender may be told.
    """

    def __init__(self) -> None:
        self.words: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()
        self.deliveries = Histogram()
        self._troubles: dict[tuple[str, str], str] = {}

    def __call__(self, event: LogEvent) -> None:
        """One more event of the log, in whichever thread."""
        if "trouble" in event:
            self._note(event)
        if event.get("log_namespace") != "simmail.mail":
            return
        word = (event.get("log_format") or "").partition(" ")[0]
        if word == "{what}":
            word = str(event.get("what", "")).partition(" ")[0]
        if word.isalpha():
            self.words[word] += 1
        if "took" in event:
            self.deliveries.observe(event["took"])
        elif word == "refused":
            # As "550 5.6.11"; fault rules may say anything there, so only numbers count.
            found = _NUMBERS.match(event.get("reply", ""))
            reason = found[0] if found else event.get("bad") or "other"
            self.reasons[reason if reason in self.reasons or len(self.reasons) < MOST_REASONS else "other"] += 1

    def _note(self, event: LogEvent) -> None:
        key = str(event.get("universe", "")), str(event.get("where", ""))
        self._troubles.pop(key, None)
        if event["trouble"]:
            if len(self._troubles) >= MOST_KEPT:
                self._troubles.pop(next(iter(self._troubles)), None)
            self._troubles[key] = str(event["trouble"])

    def damage(self) -> list[str]:
        """Return a line for each kind of damage in each universe, which names no address: those are in the log."""
        counts = Counter((universe, trouble) for (universe, _), trouble in list(self._troubles.items()))
        lines = [f"{universe}: {trouble}{f' ({count} times)' if count > 1 else ''}"[:LONGEST]
                 for (universe, trouble), count in sorted(counts.items())]
        if len(lines) > MOST_TOLD:
            lines[MOST_TOLD - 1:] = [f"and {len(lines) - MOST_TOLD + 1} more; see the log"]
        return lines


class ReactorLag:
    """
    How late the reactor is with what is due: what every session and every job of the process feels.

    @param reactor: C{IReactorTime}.
    @ivar seen: how late each look was.
    """

    def __init__(self, reactor: Any) -> None:
        self.seen = Histogram()
        self._reactor = reactor
        self._due = 0.0
        self._looking = LoopingCall(self._look)
        self._looking.clock = reactor

    def start(self) -> None:
        """Look from now on."""
        self._due = self._reactor.seconds() + LOOK
        self._looking.start(LOOK, now=False)

    def stop(self) -> None:
        """Look no more."""
        self._looking.stop()

    def _look(self) -> None:
        now = self._reactor.seconds()
        self.seen.observe(max(0.0, now - self._due))
        # As the call goes: at the next of its times that is not past.
        self._due += LOOK * (int((now - self._due) / LOOK) + 1)


def exposition(server: MailServer, factories: Mapping[str, Any], figures: LogFigures, lag: Histogram) -> str:
    """
    Return the figures as text.

    @param factories: what makes the sessions of each listener, by its name in C{endpoints.json}.
    @param lag: how late the reactor was.
    """
    return "\n".join(_lines(server, factories, figures, lag)) + "\n"


def _lines(
    server: MailServer, factories: Mapping[str, Any], figures: LogFigures, lag: Histogram
) -> Iterator[str]:
    yield "# HELP simmail_mail_total Lines of the mail log since the start, by what happened to mail."
    yield "# TYPE simmail_mail_total counter"
    for word, count in sorted(figures.words.items()):
        yield f'simmail_mail_total{{what="{word}"}} {count}'
    yield "# HELP simmail_mail_refused_total Recipients and messages refused, by what was wrong."
    yield "# TYPE simmail_mail_refused_total counter"
    for reason, count in sorted(figures.reasons.items()):
        yield f'simmail_mail_refused_total{{reason="{reason}"}} {count}'
    yield from lines("simmail_delivery_seconds", {"": figures.deliveries})
    yield from lines("simmail_imap_fetch_seconds", {
        f'listener="{name}"': factories[name].context.fetches for name in ("imap", "imaps") if name in factories})
    yield from lines("simmail_reactor_lag_seconds", {"": lag})
    universes = server.universes()
    yield "# TYPE simmail_mail_uncommitted gauge"
    yield f"simmail_mail_uncommitted {sum(one.in_flight.uncommitted for one in universes)}"
    yield "# TYPE simmail_webhook_attempts_total counter"
    for outcome in ("delivered", "failed"):
        count = sum(one.webhooks.outcomes[outcome] for one in universes)
        yield f'simmail_webhook_attempts_total{{outcome="{outcome}"}} {count}'
    yield "# TYPE simmail_webhook_waiting gauge"
    yield f"simmail_webhook_waiting {sum(one.webhooks.waiting for one in universes)}"
    yield "# HELP simmail_mail_undecided Mail that personas have received and not yet decided about."
    yield "# TYPE simmail_mail_undecided gauge"
    for universe in universes:
        yield f'simmail_mail_undecided{{universe="{universe.id}"}} {universe.inbox.lag}'
    yield "# HELP simmail_sessions Connections open now."
    yield "# TYPE simmail_sessions gauge"
    for name, factory in factories.items():
        if name != "http":
            yield f'simmail_sessions{{listener="{name}"}} {len(factory.connections)}'


def process_figures() -> str:
    """Return what the process holds, as text; on Linux only, elsewhere these lines are missing."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            memory = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        descriptors = len(os.listdir("/proc/self/fd"))
    except OSError:
        return ""
    return (f"# TYPE process_resident_memory_bytes gauge\nprocess_resident_memory_bytes {memory}\n"
            f"# TYPE process_open_fds gauge\nprocess_open_fds {descriptors}\n")
