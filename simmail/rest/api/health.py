"""
C{/livez}, C{/readyz} and C{/metrics}: for those who run the service.  No key is asked for; nothing of any mail is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec
from msgspec import Struct

from simmail import __version__
from simmail.errors import Unavailable
from simmail.rest.answer import Octets
from simmail.rest.context import Services
from simmail.rest.route import Call, Route
from simmail.universe.universe import LONG_HELD

HEADING = "Health"

#: Less free space than this on the mail's disk is a failed check, octets.
LEAST_SPACE = 64 * 1024 * 1024
#: What is said then.
FULL = "the disk is full"

_PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"


class Alive(Struct, frozen=True):
    """The process answers.  C{status}: always C{ok}."""

    status: Literal["ok"] = "ok"


class Ready(Struct, frozen=True):
    """
    Whether all that is needed is there.

    @ivar status: whether requests should come here; checks: by what was looked at: C{ok}, or what is wrong.
    @ivar warnings: what somebody should see to; the service is ready all the same.
    """

    status: Literal["ready", "not ready"]
    checks: dict[str, str]
    warnings: list[str]


def checks(services: Services) -> dict[str, str]:
    """Return each thing the service needs: C{ok}, or what is wrong with it."""
    found = {
        "redis": "ok" if services.server.database.healthy else "away",
        "store": _store(services),
    }
    for name, check in services.checks:
        found[name] = check() or found.get(name, "ok")
    return found


def _store(services: Services) -> str:
    for universe in services.server.universes():
        try:
            free, _ = universe.store.space()
        except Unavailable as error:
            return str(error)
        return "ok" if free >= LEAST_SPACE else FULL
    return "ok"


def _long_held(services: Services) -> Iterator[str]:
    """Locks that nobody has given back for long, with nobody's address: the log has those."""
    for universe in services.server.universes():
        for what, lock in universe.locks():
            if lock.held() >= LONG_HELD:
                yield (f"{what.partition(' of ')[0]} in {universe.id} has been held for {lock.held():.0f} s; "
                       f"{lock.waiting} wait for it")


def live(call: Call) -> Alive:
    return Alive()


def looked(services: Services) -> tuple[dict[str, str], list[str]]:
    """Return the checks of this process, and its warnings."""
    return checks(services), [*_long_held(services), *(text for more in services.warnings for text in more())]


async def ready(call: Call) -> Octets:
    found, warnings = looked(call.services)
    peers = call.services.peers
    for told in () if peers is None else await peers.ask("looked"):
        if told is None:
            warnings.append("a worker is away; its universes wait for it")
        else:
            found.update((name, what) for name, what in told[0].items() if what != "ok")
            warnings += [one for one in told[1] if one not in warnings]
    good = all(one == "ok" for one in found.values())
    answer = Ready("ready" if good else "not ready", found, warnings)
    return Octets(msgspec.json.encode(answer), "application/json", () if good else (("Retry-After", "1"),),
                  200 if good else 503)


async def metrics(call: Call) -> Octets:
    services, text = call.services, figures(call.services)
    if services.peers is not None and not services.peers.apart:
        told = await services.peers.ask("figures")
        text = labelled([(services.peers.number, text), *((number, other) for number, other in filter(None, told))])
    return Octets(text.encode(), _PROMETHEUS)


def labelled(texts: Iterable[tuple[int, str]]) -> str:
    """Return the figures of several processes, by their numbers, as those of one, with a label C{worker}."""
    families: dict[str, tuple[list[str], list[str]]] = {}
    for number, text in sorted(texts):
        told: list[str] = []
        samples: list[str] = []
        for line in text.splitlines():
            if line.startswith("# "):
                told, samples = families.setdefault(line.split(" ", 3)[2], ([], []))
                if line not in told:
                    told.append(line)
                continue
            name, _, value = line.rpartition(" ")
            own = f'worker="{number}"'
            samples.append(f"{name[:-1]},{own}}} {value}" if name.endswith("}") else f"{name}{{{own}}} {value}")
    return "".join(f"{line}\n" for told, samples in families.values() for line in (*told, *samples))


def figures(services: Services) -> str:
    """Return the figures of this process as text."""
    universes = services.server.universes()
    gauges: Iterable[tuple[str, float]] = (
        ("simmail_redis_available", float(services.server.database.healthy)),
        ("simmail_universes", len(universes)),
        ("simmail_mailboxes", sum(len(one.store.mailboxes()) for one in universes)),
        ("simmail_personas", sum(len(one.people) for one in universes)),
        ("simmail_pending_jobs", sum(len(one.pending) for one in universes)),
        ("simmail_open_http_connections", services.connections()),
        *_locks(services), *_lags(services), *_disk(services),
    )
    lines = [f'# TYPE simmail_info gauge\nsimmail_info{{version="{__version__}"}} 1']
    for name, value in gauges:
        lines.append(f"# TYPE {name} gauge\n{name} {value:.{3 if name.endswith('_seconds') else 0}f}")
    lines.append("# TYPE simmail_events_total counter")
    lines.append(f"simmail_events_total {sum(one.log.last for one in universes)}")
    lines.extend(services.traffic.lines())
    lines.extend(filter(None, (more().rstrip("\n") for more in services.metrics)))
    return "\n".join(lines) + "\n"


def _lags(services: Services) -> Iterator[tuple[str, float]]:
    """What is behind: mail not yet decided about, jobs not done at their time, and for how long in real time."""
    undecided, waited, overdue, late = 0, 0.0, 0, 0.0
    real = services.reactor.seconds()
    for one in services.server.universes():
        undecided += one.inbox.lag
        waited = max(waited, one.inbox.waited)
        first = one.pending.first()
        # While the clock is moved, or stands, no job has a real time of its own.
        reached = None if first is None or one.clock.stepping else one.clock.timeline.real_at(first.due)
        if reached is not None and reached < real:
            late = max(late, real - reached)
            line = one.clock.line()
            overdue += sum(1 for job in one.pending.by_id.values() if job.due <= line)
    yield "simmail_undecided_arrivals", undecided
    yield "simmail_decision_lag_seconds", waited
    yield "simmail_overdue_jobs", overdue
    yield "simmail_job_lag_seconds", late


def _locks(services: Services) -> Iterator[tuple[str, float]]:
    held = [lock.held() for universe in services.server.universes() for _, lock in universe.locks()]
    yield "simmail_locks_held_long", sum(seconds >= LONG_HELD for seconds in held)
    yield "simmail_lock_held_seconds", max(held, default=0.0)


def _disk(services: Services) -> Iterator[tuple[str, float]]:
    for universe in services.server.universes()[:1]:
        try:
            free, total = universe.store.space()
        except Unavailable:
            return
        yield "simmail_disk_free_bytes", free
        yield "simmail_disk_size_bytes", total


ROUTES: tuple[Route, ...] = (
    Route("GET", "/livez", live, "Whether the process answers", Alive, role=None, answer_example={"status": "ok"}),
    Route("GET", "/readyz", ready, "Whether Redis, the mail store and the listeners are there", Ready, role=None,
          statuses=(503,),
          answer_example={"status": "ready", "checks": {"redis": "ok", "store": "ok", "listeners": "ok"},
                          "warnings": []}),
    Route("GET", "/metrics", metrics, "Figures in Prometheus's exposition format", role=None, media="text/plain"),
)
