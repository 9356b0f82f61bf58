"""
Settings documents: AI writing, pace, recipient rules, link policy, retention.

A C{PUT} of rules replaces them, a C{PATCH} keeps what is left out; pace and retention keep it in either.
Source: API contract, "Behaviour settings"; decisions, section 23 ("Settings").
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from simmail.core.decide.link_policy import HABITS
from simmail.core.mime.address import domain_of
from simmail.core.records.bad_address import ACCEPTED, BadKind, REPLIES
from simmail.core.records.fields import Line
from simmail.core.records.settings import DEFAULT_USER_AGENT, Hosts, LinkPolicy, MOST_FACTOR, Pace, WriterMode
from simmail.core.rules.faults import FaultEvent, FaultVerdict
from simmail.core.rules.recipients import Outcome, RecipientRules, StrangerMode
from simmail.core.wording.chat import Level
from simmail.errors import Invalid
from simmail.rest import validate
from simmail.rest.render.compose import one_address
from simmail.rest.route import Body, Call, Query, Route
from simmail.universe.retention import PrunedCounts, Retention

HEADING = "Behaviour settings"

#: What faults make of mail that was accepted.
_AFTERWARDS: Mapping[str, Outcome] = MappingProxyType({"bounce": "bounce", "discard": "discard"})


class AiMode(Body, frozen=True):
    """
    Who shall write; what else C{GET} shows is not looked at.

    @ivar mode: a model (C{on}) or templates (C{off}).
    @ivar model: only shown, not changed; level: only shown, not changed; trouble: only shown, not changed.
    """

    mode: WriterMode
    model: str = ""
    level: str = ""
    trouble: str = ""


class PaceChange(Body, frozen=True):
    """
    What to change of the pace; what is left out stays.

    @ivar factor: what delays are multiplied by, without unit: 1 as configured, 0.1 ten times faster, 2 twice as slow, 0
        as 1.
    @ivar ignore_hours: personas reply at any hour and day.
    """

    factor: Annotated[float, Meta(extra_json_schema={"minimum": 0, "maximum": MOST_FACTOR})] | None = None
    ignore_hours: bool | None = None


class WhichRecipient(Query, frozen=True, rename={"from_": "from"}):
    """C{address}: who would get mail; C{from}: who would write, for fault rules that count by the sender."""

    address: Line
    from_: Line = ""


class RecipientCheck(Struct, frozen=True):
    """
    What would happen to mail for an address.

    C{kind}: C{deliver} to a mailbox there is; C{create} it first; C{refuse}; C{bounce} or C{discard} after accepting.
    C{reply}: what SMTP says to RCPT; empty where a fault rule lets it say nothing.
    C{bad}: what is wrong with the address, where the rules find it bad; C{forced}: by its own C{status}.
    C{rule}: the domain whose rule it is, empty for the default one; C{stranger}: who is behind a mailbox made.
    C{persona}, C{persona_id}: who lives there.  C{faults}: the fault rules that would fire, at RCPT and at delivery.
    """

    address: str
    kind: Outcome
    reply: str
    bad: BadKind | None
    forced: bool
    rule: str
    stranger: StrangerMode
    persona: str
    persona_id: str | None
    faults: tuple[FaultVerdict, ...]


class LinkRules(LinkPolicy, frozen=True, forbid_unknown_fields=True):
    """Which links personas open; what is left out takes its default."""

    allow: Hosts | None = None  # type: ignore[assignment] # null is as good as nothing
    deny: Hosts | None = None  # type: ignore[assignment]


class LinkSettings(Struct, frozen=True):
    """
    How links in mail are opened.

    @ivar policy: as it was set; habits: chance that a link is opened, 0 to 1, by C{style.links}.
    @ivar default_user_agent: what requests claim to be unless the policy says otherwise.
    """

    policy: LinkPolicy
    habits: dict[str, float]
    default_user_agent: str


class RetentionChange(Body, frozen=True):
    """
    How long things are kept; what is left out stays.

    @ivar mail_days: simulated days that mail is kept; 0 for ever.
    @ivar event_days: simulated days that events are kept; 0 for ever.
    """

    mail_days: Annotated[int, Meta(ge=0, le=36_500)] | None = None
    event_days: Annotated[int, Meta(ge=0, le=36_500)] | None = None


class AiWriter(Struct, frozen=True, omit_defaults=True):
    """
    Who writes.

    @ivar mode: a model (C{on}) or templates (C{off}); model: name of the one that is configured.
    @ivar level: how far it can be told what an answer looks like (C{schema}, C{json}, C{text}), C{none} while it does
        not answer, C{replay} where what was recorded is answered.
    @ivar trouble: why nothing is asked of it just now, C{""} for nothing.
    """

    mode: WriterMode
    model: str = ""
    level: Level | None = None
    trouble: str = ""


async def read_ai(call: Call) -> AiWriter:
    model = call.universe.model
    if not model.configured:
        return AiWriter("off")
    await model.look()
    return AiWriter("on" if model.on else "off", model.name, model.level, model.refusal())


async def change_ai(call: Call) -> AiWriter:
    mode = call.body.mode
    if mode == "on" and not call.universe.model.configured:
        raise Invalid("mode", "on needs a writer: ai.base_url is not configured")
    if mode != call.universe.settings.writer:
        await call.universe.settings.put("ai", {"mode": mode})
    return await read_ai(call)


def read_pace(call: Call) -> Pace:
    return call.universe.settings.pace


async def change_pace(call: Call) -> Pace:
    change: PaceChange = call.body
    return await call.universe.settings.set_pace(change.factor, change.ignore_hours)


def read_recipients(call: Call) -> RecipientRules:
    return call.universe.policy.rules


async def change_recipients(call: Call) -> RecipientRules:
    return await call.universe.policy.put_rules(call.body)


async def merge_recipients(call: Call) -> RecipientRules:
    return await call.universe.policy.put_rules(_merged(call.universe.policy.rules, call.body))


def _merged(kept: Struct, change: dict[str, Any]) -> dict[str, Any]:
    """A document with some fields changed; null is a field's default."""
    merged = {**msgspec.to_builtins(kept), **change}
    return {name: value for name, value in merged.items() if value is not None}


def check_recipient(call: Call) -> RecipientCheck:
    universe, policy = call.universe, call.universe.policy
    address = one_address(call.query.address, "address").address
    sender = one_address(call.query.from_, "from").address if call.query.from_ else ""
    verdict = policy.recipient(address, sender)
    at_rcpt = FaultEvent("rcpt", getattr(call.request.getClientAddress(), "host", ""), sender, address)
    fault = universe.faults.foretell(at_rcpt)
    kind, said = verdict.kind, ACCEPTED if verdict.kind != "refuse" else REPLIES[verdict.bad or "unknown"]
    faults = [fault] if fault is not None else []
    if fault is not None and _ends(fault):
        kind, said = "refuse", (fault.code, fault.enhanced, fault.message)
    elif kind in ("deliver", "create"):
        fault = universe.faults.foretell(at_rcpt._replace(stage="deliver"))
        if fault is not None:
            faults.append(fault)
            kind = _AFTERWARDS.get(fault.kind, "refuse" if _ends(fault) else kind)
    persona = universe.people.at(address)
    return RecipientCheck(
        address, kind, " ".join(" ".join(map(str, said)).split()) if said[0] else "", verdict.bad,
        policy.status(address) != "ok", domain if (domain := domain_of(address)) in policy.rules.domains else "",
        verdict.stranger, persona.name if persona is not None else "", persona.id if persona is not None else None,
        tuple(faults))


def _ends(fault: FaultVerdict) -> bool:
    """Tell whether nothing comes after a fault: it answers, or nothing does."""
    return bool(fault.code) or fault.kind in ("drop", "hang")


def read_links(call: Call) -> LinkSettings:
    return LinkSettings(call.universe.settings.links, dict(HABITS), DEFAULT_USER_AGENT)


async def change_links(call: Call) -> LinkSettings:
    return await _put_links(call, call.body)


async def merge_links(call: Call) -> LinkSettings:
    merged = msgspec.json.encode(_merged(call.universe.settings.links, call.body))
    return await _put_links(call, validate.body(merged, LinkRules, call.services.config.limits.json_depth))


async def _put_links(call: Call, asked: LinkRules) -> LinkSettings:
    if asked.allow_private:
        raise Invalid("allow_private", "cannot be switched on; the operator's links.lab_hosts lists test sites")
    if not asked.user_agent.isprintable():
        raise Invalid("user_agent", "must not contain line breaks or control characters")
    given: dict[str, Any] = {name: getattr(asked, name) for name in asked.__struct_fields__
                             if getattr(asked, name) is not None}
    for name in ("allow", "deny"):
        if name in given:
            given[name] = tuple(dict.fromkeys(_host(one, f"{name}.{n}") for n, one in enumerate(given[name])))
    given["user_agent"] = given["user_agent"].strip() or DEFAULT_USER_AGENT
    await call.universe.settings.put("links", LinkPolicy(**given))
    return read_links(call)


def _host(text: str, field: str) -> str:
    host = text.strip().lower()
    bare = host.removeprefix("*.")
    if not bare or not bare.isascii() or any(one in "/:@*?# " or not one.isprintable() for one in bare):
        raise Invalid(field, "must be a host name, or *. and a domain")
    return host


def read_retention(call: Call) -> Retention:
    return call.universe.pruning.setting


async def change_retention(call: Call) -> Retention:
    return await call.universe.pruning.set(call.body.mail_days, call.body.event_days)


async def prune(call: Call) -> PrunedCounts:
    return await call.universe.pruning.prune()


_RULE = {"create": True, "bad_rate": 0.1, "bad_kinds": ["unknown", "full"], "fail_at": "rcpt", "stranger": "basic",
         "silent": False}
_RECIPIENTS: dict[str, Any] = {
    "default": _RULE, "domains": {"acme.test": {**_RULE, "bad_rate": 0.0}}, "status": {"old@acme.test": "disabled"},
    "seed": "monday"}
_POLICY = {
    "enabled": True, "allow_private": False, "deny": ["*.tracker.test"], "max_links": 2, "unsubscribe": False,
    "user_agent": DEFAULT_USER_AGENT, "sender_check": 0.35, "missing_site": "imagine", "local_links": "ignore"}

ROUTES: tuple[Route, ...] = (
    Route("GET", "/api/ai", read_ai, "Read who writes", AiWriter, answer_example={"mode": "off"}),
    Route("PUT", "/api/ai", change_ai, "Choose who writes: a model (on) or templates (off)", AiWriter, role="member",
          body=AiMode, example={"mode": "off"}, answer_example={"mode": "off"}),
    Route("GET", "/api/pace", read_pace, "Read the pace", Pace,
          answer_example={"factor": 1.0, "ignore_hours": False}),
    Route("PUT", "/api/pace", change_pace, "Change the pace; what is left out stays", Pace, role="member",
          body=PaceChange, example={"factor": 0.1, "ignore_hours": True},
          answer_example={"factor": 0.1, "ignore_hours": True}),
    Route("GET", "/api/recipients", read_recipients, "Read the recipient rules", RecipientRules,
          answer_example=_RECIPIENTS),
    Route("PUT", "/api/recipients", change_recipients, "Replace the recipient rules", RecipientRules, role="admin",
          body=dict[str, Any], body_shown=RecipientRules, example=_RECIPIENTS, answer_example=_RECIPIENTS),
    Route("PATCH", "/api/recipients", merge_recipients, "Change the recipient rules; what is left out stays",
          RecipientRules, role="admin", body=dict[str, Any], body_shown=RecipientRules, example={"seed": "monday"},
          answer_example=_RECIPIENTS),
    Route("GET", "/api/recipients/check", check_recipient,
          "Read what would happen to mail for an address: what SMTP would say to RCPT, and what comes of the mail",
          RecipientCheck, query=WhichRecipient, query_example="address=gone@acme.test&from=app@sim.test",
          answer_example={
              "address": "gone@acme.test", "kind": "refuse", "reply": "550 5.1.1 User unknown", "bad": "unknown",
              "forced": True, "rule": "acme.test", "stranger": "off", "persona": "", "persona_id": None,
              "faults": []}),
    Route("GET", "/api/links", read_links, "Read which links personas open", LinkSettings, answer_example={
        "policy": _POLICY, "habits": dict(HABITS), "default_user_agent": DEFAULT_USER_AGENT}),
    Route("PUT", "/api/links", change_links,
          "Replace the link policy; it holds for mail decided about from now on, and for links not opened yet",
          LinkSettings, role="admin", feature="links", body=LinkRules, example=_POLICY, answer_example={
              "policy": _POLICY, "habits": dict(HABITS), "default_user_agent": DEFAULT_USER_AGENT}),
    Route("PATCH", "/api/links", merge_links, "Change the link policy; what is left out stays", LinkSettings,
          role="admin", feature="links", body=dict[str, Any], body_shown=LinkRules, example={"max_links": 2},
          answer_example={
              "policy": _POLICY, "habits": dict(HABITS), "default_user_agent": DEFAULT_USER_AGENT}),
    Route("GET", "/api/retention", read_retention, "Read how long mail and events are kept, in simulated days",
          Retention, answer_example={"mail_days": 90, "event_days": 0}),
    Route("PUT", "/api/retention", change_retention, "Change how long mail and events are kept", Retention,
          role="admin", body=RetentionChange, example={"mail_days": 90},
          answer_example={"mail_days": 90, "event_days": 0}),
    Route("POST", "/api/retention/prune", prune, "Remove what is older than retention allows, now", PrunedCounts,
          role="admin", answer_example={"messages": 40, "events": 0, "jobs": 0}),
)
