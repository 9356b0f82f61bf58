"""Event logs that are made up, and what a count by hand makes of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from hypothesis import strategies as st

from simmail.core.insights.campaign import clean_subject
from simmail.core.insights.cells import seconds_of, time_slot
from simmail.core.insights.documents import TABLES, changes, restored
from simmail.core.insights.events import CountedEvent, seconds_at
from simmail.core.insights.fold import Fold
from simmail.core.insights.state import State
from simmail.core.message.base_subject import base_subject, is_reply
from simmail.core.records.persona import Persona
from simmail.core.time.instant import format_duration

BEGIN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)

SENDERS = ("billing@app.test", "news@app.test")
SUBJECTS = ("Invoice INV-{n}", "Re: Spring news", "Spring news", "spring NEWS {n}")
KINDS = ("unknown", "full", "strange")
URLS = ("https://shop.test/a", "https://shop.test/b", "https://shop.test/unsubscribe")


class Folk:
    """Three people, of two temperaments, and nobody else."""

    def __init__(self) -> None:
        self.people = {
            f"p_{n}": msgspec.convert({
                "id": f"p_{n}", "provider": "api", "created": BEGIN, "name": f"Person {n}",
                "addresses": [f"p{n}@people{n % 2}.test"], "temperament": ("busy", "ghost")[n % 2],
            }, Persona) for n in range(3)}

    def at(self, address: str) -> Persona | None:
        """Return who has an address."""
        return next((one for one in self.people.values() if address in one.addresses), None)

    def known(self, persona_id: str) -> Persona | None:
        """Return somebody by id."""
        return self.people.get(persona_id)


FOLK = Folk()
PEOPLE = tuple(FOLK.people.values())
ADDRESSES = (*(one.addresses[0] for one in PEOPLE), "nobody@else.test", "mailer-daemon@else.test")


def _step(step: str, /, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"step": st.just(step), "hours": st.sampled_from((0, 0, 1, 5, 30)), **fields})


_PERSON = st.sampled_from(PEOPLE)
#: Which of the mails before, from the last; most events are about one of the last few.
_WHICH = st.integers(0, 4)
_SEND = _step("send", sender=st.sampled_from(SENDERS), to=st.lists(st.sampled_from(ADDRESSES), min_size=1, max_size=3),
              subject=st.sampled_from(SUBJECTS), again=st.sampled_from((False, False, True)),
              answers=st.none() | _WHICH)
_WROTE = _step("wrote", who=_PERSON, which=st.lists(_WHICH, min_size=1, max_size=2),
               to=st.sampled_from((*SENDERS, ADDRESSES[0])),
               kind=st.sampled_from(("reply", "reply", "ooo", "initiate", "nudge")),
               text=st.sampled_from(("Yes.", "When?")))
#: The application answers a mail: with a reference or without.
_ANSWER = _step("answer", sender=st.sampled_from(SENDERS), subject=st.sampled_from(SUBJECTS), which=_WHICH,
                threaded=st.booleans())
STEPS = st.lists(min_size=20, max_size=60, elements=st.one_of(
    _SEND, _SEND, _WROTE, _WROTE, _ANSWER, _ANSWER,
    _step("received", who=_PERSON, which=_WHICH), _step("junked", who=_PERSON, which=_WHICH),
    _step("ignored", who=_PERSON, which=_WHICH, why=st.sampled_from(("draw", "loop"))),
    _step("bounced", to=st.sampled_from(ADDRESSES), which=st.none() | _WHICH, kind=st.sampled_from(KINDS)),
    _step("deferred", to=st.sampled_from(ADDRESSES), code=st.sampled_from((421, 451, 550)),
          stage=st.sampled_from(("rcpt", "data", "mail"))),
    _step("opened", who=_PERSON, which=_WHICH, url=st.sampled_from(URLS), status=st.sampled_from((200, 404))),
    _step("failed", who=_PERSON, which=_WHICH, url=st.sampled_from(URLS)),
    _step("scored", which=_WHICH, score=st.sampled_from((-0.5, 1.2, 7.0))),
    _step("checked", which=_WHICH, broken=st.lists(st.sampled_from(URLS), max_size=2)),
    _step("world", who=_PERSON, expected=st.sampled_from(("answer", "ignore", "junk", "escalate")),
          kind=st.sampled_from(("inquiry", "newsletter", "spam")), known=st.booleans()),
))


def rows_of(steps: Sequence[dict[str, Any]]) -> list[CountedEvent]:
    """The log of some steps."""
    at, sent, came, rows = seconds_at(BEGIN), ["<none@app.test>"], [("<none@people.test>", ADDRESSES[0])], []

    def of(which: int) -> str:
        return sent[max(0, len(sent) - 1 - which)]

    for n, one in enumerate(steps, 1):
        at += one["hours"] * 3600 + n % 7
        who: Persona | None = one.get("who")
        data: dict[str, Any] = {} if who is None else {"persona_id": who.id, "persona": who.name}
        step = one["step"]
        if isinstance(one.get("which"), int):
            data["message_id"] = of(one["which"])
        if step == "send":
            message_id = sent[-1] if one["again"] else f"<m{n}@app.test>"
            sent.append(message_id)
            data = {"from": one["sender"], "to": list(dict.fromkeys(one["to"])),
                    "subject": one["subject"].format(n=n), "message_id": message_id}
            if one["answers"] is not None:
                data["in_reply_to"] = came[max(0, len(came) - 1 - one["answers"])][0]
            type = "mail.delivered"
        elif step == "answer":
            sent.append(f"<m{n}@app.test>")
            message_id, author = came[max(0, len(came) - 1 - one["which"])]
            type, data = "mail.delivered", {
                "from": one["sender"], "to": [author], "subject": one["subject"].format(n=n), "message_id": sent[-1],
                **({"in_reply_to": message_id} if one["threaded"] else {})}
        elif step in ("received", "junked"):
            type = f"persona.{step}"
        elif step == "ignored":
            type, data = "persona.ignored", {**data, "why": one["why"], "subject": "Re: x"}
        elif step == "bounced":
            type, data = "persona.bounced", {**data, "address": one["to"], "kind": one["kind"], "to": SENDERS[0]}
        elif step == "deferred":
            type, data = "fault.hit", {"stage": one["stage"], "address": one["to"], "code": one["code"],
                                       "from": SENDERS[1]}
        elif step == "wrote":
            came.append((f"<p{n}@people.test>", who.addresses[0] if who is not None else ""))
            type, data = "persona.sent", {
                **data, "kind": one["kind"], "to": [one["to"]], "cc": [], "subject": "Re: Spring news",
                "message_id": came[-1][0], "text": one["text"], "answers": [of(which) for which in one["which"]]}
        elif step in ("opened", "failed"):
            type, data = f"link.{step}", {**data, "url": one["url"], "text": "Here", "status": one.get("status", 0)}
        elif step == "scored":
            type, data = "inspect.scored", {**data, "score": one["score"]}
        elif step == "checked":
            type, data = "inspect.links", {**data, "broken": one["broken"]}
        else:
            if not one["known"]:
                came.append((f"<w{n}@people.test>", who.addresses[0] if who is not None else ""))
            type, data = "world.mail", {**data, "to": [SENDERS[0]], "subject": "Spring news", "message_id": came[-1][0],
                                        "expected": one["expected"], "kind": one["kind"]}
        rows.append(CountedEvent(n, at, type, data, () if who is None else tuple(who.addresses)))
    return rows


def folded(rows: Sequence[CountedEvent], cut_at: Sequence[int] = ()) -> State:
    """The state after some events; written down and read again after those numbered C{cut_at}."""
    fold, tables = Fold(State(), FOLK), {name: dict[str, bytes]() for name in TABLES}
    for row in rows:
        fold.take(row)
        if row.number in cut_at:
            puts, drops = changes(fold.state, fold.state.take_changed())
            for table, key, octets in puts:
                tables[table][key] = octets
            for table, key in drops:
                tables[table].pop(key, None)
            fold = Fold(restored(tables), FOLK)
    return fold.state


class Mailing:
    """One mail of the application, as it was sent once, and what became of it: sets of whom."""

    def __init__(self, row: CountedEvent | None, sender: str, to: list[str], subject: str, day: int, at: int) -> None:
        self.row, self.sender, self.to, self.subject, self.day, self.at = row, sender, to, subject, day, at
        self.did: dict[str, set[str]] = {}
        self.clicks = 0
        self.kinds: list[tuple[str, str]] = []
        self.times: dict[str, int] = {}
        self.scores: list[float] = []

    def has(self, what: str, whose: str) -> bool:
        """Note that somebody did something; whether that is new."""
        known = self.did.setdefault(what, set())
        new = whose not in known
        known.add(whose)
        return new


def mailings_of(rows: Sequence[CountedEvent]) -> tuple[list[Mailing], list[tuple[int, str, str]]]:
    """All mails with what became of them; day, sender and recipient of what was deferred."""
    mails: list[Mailing] = []
    deferred = []

    def about(row: CountedEvent, message_id: str) -> Mailing | None:
        return next((one for one in reversed(mails) if one.row is not None and one.row.number < row.number
                     and one.row.data["message_id"] == message_id), None)

    for row in rows:
        data, day = row.data, row.at // 86400
        found = about(row, data.get("message_id", ""))
        who = data.get("persona_id", "")
        if row.type == "mail.delivered":
            mails.append(Mailing(row, data["from"], data["to"], clean_subject(data["subject"]), day, row.at))
        elif row.type == "persona.bounced" and "message_id" not in data:
            refused = Mailing(None, data["to"], [data["address"]], "", day, row.at)
            refused.kinds.append((data["address"], data["kind"]))
            mails.append(refused)
        elif row.type == "fault.hit" and data["code"] < 500 and data["stage"] != "mail":
            deferred.append((day, data["from"], data["address"]))
        elif row.type == "persona.sent":
            for one in (about(row, message_id) for message_id in data["answers"]):
                if one is not None and data["kind"] in ("reply", "ooo"):
                    if one.has(data["kind"], who) and data["kind"] == "reply":
                        one.times[who] = row.at - one.at
        elif found is None:
            continue
        elif row.type == "persona.bounced":
            if found.has("bounced", data["address"]):
                found.kinds.append((data["address"], data["kind"]))
        elif row.type == "inspect.scored":
            if found.has("scored", ""):
                found.scores.append(data["score"])
        elif row.type == "inspect.links":
            for url in data["broken"]:
                found.has("broken", url)
        elif row.type.startswith("link."):
            good = row.type == "link.opened" and data["status"] < 400
            if not good:
                found.has("broken", data["url"])
            if "unsubscribe" not in data["url"]:
                found.clicks += 1
                found.has("clicked", who)
            elif good:
                found.has("unsubscribed", who)
        elif row.type in ("persona.received", "persona.junked", "persona.ignored"):
            found.has(row.type[8:], who)
    return mails, deferred


def share_of(times: Sequence[int], share: float) -> str | None:
    """A percentile by nearest rank, of times kept as the report keeps them."""
    if not times:
        return None
    ordered = sorted(seconds_of(time_slot(one)) for one in times)
    rank = next(n for n in range(1, len(ordered) + 1) if n >= share * len(ordered))
    return format_duration(timedelta(seconds=ordered[rank - 1]))


def figures_of(mails: Sequence[Mailing], deferred: int) -> dict[str, Any]:
    """The figures of some mails, counted one by one."""
    def count(what: str) -> int:
        return sum(len(one.did.get(what, ())) for one in mails)

    sent = sum(len(one.to) for one in mails)
    kinds = Counter(kind if kind != "strange" else "other" for one in mails for _, kind in one.kinds)
    bounced = sum(kinds.values())
    times = [seconds for one in mails for seconds in one.times.values()]
    scores = [score for one in mails for score in one.scores]
    delivered = sent - bounced
    return {
        "sent": sent, "delivered": delivered, "bounced": bounced, "bounced_by_kind": dict(kinds),
        "deferred": deferred, "junked": count("junked"), "ignored": count("ignored"), "replied": count("reply"),
        "auto_replied": count("ooo"), "clicked": count("clicked"), "clicks": sum(one.clicks for one in mails),
        "unsubscribed": count("unsubscribed"),
        "reply_rate": {"rate": round(count("reply") / delivered, 4) if delivered else None, "n": delivered},
        "median_reply": share_of(times, 0.5), "p90_reply": share_of(times, 0.9),
        "spam_score": {"mean": round(sum(round(one * 10) for one in scores) / len(scores) / 10, 2) if scores else None,
                       "n": len(scores)},
        "broken_links": count("broken"),
    }


class Heard:
    """A mail that came to the application."""

    def __init__(
        self, row: CountedEvent, sender: str, to: list[str], wanted: bool, automatic: bool, junk: bool
    ) -> None:
        self.row, self.sender, self.to = row, sender, to
        self.wanted, self.automatic, self.junk = wanted, automatic, junk
        self.subject = base_subject(row.data["subject"]).casefold()
        #: When answers came, and whether they bore a reference.
        self.answers: list[tuple[int, bool]] = []


def application_of(rows: Sequence[CountedEvent], days: range) -> dict[str, Any]:
    """What the application did with its mail, by going through the log for each mail it sent."""
    came: list[Heard] = []
    loops: dict[str, int] = {}
    machines = []
    written: set[str] = set()
    for row in rows:
        data = row.data
        if row.type == "persona.ignored" and data["why"] == "loop":
            loops.setdefault(data["persona_id"], row.at // 86400)
        elif row.type == "persona.sent" and data["to"][0] in SENDERS:
            ooo = data["kind"] == "ooo"
            came.append(Heard(row, row.addresses[0], data["to"], not ooo and (
                data["kind"] == "nudge" or "?" in data["text"]), ooo, False))
        elif row.type == "world.mail":
            truth = (data["expected"] == "answer", data["kind"] == "newsletter", data["expected"] == "junk")
            known = next((one for one in came if one.row.data["message_id"] == data["message_id"]), None)
            if known is None:
                came.append(Heard(row, row.addresses[0], data["to"], *truth))
            elif not known.answers:
                known.wanted, known.automatic, known.junk = truth
        elif row.type == "mail.delivered":
            named, left = data.get("in_reply_to", ""), list(data["to"])
            subject = base_subject(data["subject"]).casefold()

            def open_from(sender: str, subject: str, row: CountedEvent = row) -> list[Heard]:
                return [one for one in came if one.sender == sender and one.subject == subject
                        and row.data["from"] in one.to and not one.answers]

            meant = [one for one in came if one.row.data["message_id"] == named and one.sender in left]
            if meant:
                later = open_from(meant[0].sender, meant[0].subject)
                one = later[-1] if meant[0].answers and later else meant[0]
                one.answers.append((row.at, True))
                left.remove(meant[0].sender)
            for address in left:
                if not any(one.sender == address for one in came):
                    machines += [row.at // 86400] if address.startswith("mailer-daemon") else []
                elif not meant and (named or is_reply(data["subject"])) and open_from(address, subject):
                    open_from(address, subject)[-1].answers.append((row.at, named in written))
            written.add(data["message_id"])
    came = [one for one in came if one.row.at // 86400 in days]
    answered = [one for one in came if one.answers]
    return {
        "received": len(came), "answered": len(answered),
        "unanswered": sum(1 for one in came if one.wanted and not one.answers),
        "median_first_answer": share_of([one.answers[0][0] - one.row.at for one in answered], 0.5),
        "duplicate_replies": sum(len(one.answers) - 1 for one in answered),
        "replies_to_automatic_mail": sum(len(one.answers) for one in came if one.automatic) + sum(
            1 for day in machines if day in days),
        "loops": sum(1 for day in loops.values() if day in days),
        "wrong_thread": sum(1 for one in came for _, good in one.answers if not good),
        "answered_spam": sum(1 for one in answered if one.junk),
    }
