"""
A run of a scenario as a trace of Meta Agents Research Environments (ARE): what came, and what the application did.

Source: C{ExportedTrace} of C{are.simulation.data_handler.models}, version C{are_simulation_v1}.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from simmail.client import Client, InboxMail
from simmail.client.transport import path
from simmail.scenario.outcome import Played
from simmail.scenario.script import ScenarioFile

_VERSION, _APP, _USER = "are_simulation_v1", "EmailClientV2", "AgentUserInterface"


def exported(client: Client, script: ScenarioFile, played: Played, seed: int | None = None) -> dict[str, Any]:
    """
    Return the trace as JSON has it: mail that came is an event of the environment, mail that was sent one of the agent.

    @param client: the universe in which it was played, with the mail still in it.
    @raise ApiError: it was refused.
    """
    address, start = script.app.address, script.clock.timestamp()
    # At one instant, what came is before what was sent.
    mails = sorted(_mails(client, address), key=lambda one: (one.time, one.from_ == address, one.uid))
    came = {one.message_id for one in mails if one.from_ != address}
    done = [_event(n, one, address, came, start) for n, one in enumerate(mails, 1)]
    end = mails[-1].time.timestamp() if mails else start
    return {
        "version": _VERSION,
        "metadata": {
            "definition": {"scenario_id": script.name, "seed": seed, "start_time": start, "duration": end - start},
            "simulation": {"agent_id": address},
            "annotation": {"validation_decision": "Valid" if played.passed else "Invalid", "annotator": "simmail",
                           "comment": "\n".join(played.reasons), "date": end}},
        "apps": [{"name": name, "class_name": name, "app_state": state} for name, state in (
            (_USER, {"messages": []}),
            (_APP, {"user_email": address, "view_limit": 5, "folders": {
                name: {"folder_name": name, "emails": []} for name in ("INBOX", "SENT", "DRAFT", "TRASH")}}))],
        "events": [*_planned(script, [one for one in done if one["event_type"] == "ENV"], start)],
        "completed_events": done,
        "context": json.dumps({"score": played.score, "fingerprint": played.fingerprint})}


def _mails(client: Client, address: str) -> Iterator[InboxMail]:
    """All mail of the application but its drafts, with the whole text."""
    for folder in client.call("GET", path("mailboxes", address, "folders")):
        if folder["special_use"] != "\\Drafts" and folder["total"]:
            for one in client.inbox(address, folder=folder["name"], limit=1000):
                yield client.message(address, one.uid, folder["name"])


def _planned(script: ScenarioFile, came: Iterable[Mapping[str, Any]], start: float) -> Iterator[dict[str, Any]]:
    """What ARE lets happen: the agent is told its task, and mail comes, each so many seconds after the one before."""
    before, last = "USER-0", start
    yield {"class_name": "Event", "event_type": "USER", "event_time": None, "event_id": before, "dependencies": [],
           "event_relative_time": 0.0, "action": _action(0, _USER, "send_message_to_agent", {
               "content": script.app.task or script.title})}
    for one in came:
        yield {"class_name": "Event", "event_type": "ENV", "event_time": None, "event_id": one["event_id"],
               "dependencies": [before], "event_relative_time": one["event_time"] - last, "action": one["action"]}
        before, last = one["event_id"], one["event_time"]


def _event(n: int, mail: InboxMail, address: str, came: set[str], start: float) -> dict[str, Any]:
    if mail.from_ != address:
        kind, function = "ENV", "send_email_to_user_only"
        args: Mapping[str, Any] = {"sender": mail.from_, "subject": mail.subject, "content": mail.text}
    elif mail.in_reply_to in came:
        kind, function = "AGENT", "reply_to_email"
        args = {"email_id": mail.in_reply_to, "folder_name": "INBOX", "content": mail.text}
    else:
        kind, function = "AGENT", "send_email"
        args = {"recipients": mail.to, "subject": mail.subject, "content": mail.text, "cc": mail.cc}
    at = mail.time.timestamp()
    return {
        "class_name": "CompletedEvent", "event_type": kind, "event_time": at, "event_id": f"{kind}-{n}",
        "dependencies": [], "event_relative_time": at - start,
        "action": _action(n, _APP, function, args),
        "metadata": {"return_value": mail.message_id, "return_value_type": "str"}}


def _action(n: int, app: str, function: str, args: Mapping[str, Any]) -> dict[str, Any]:
    return {"action_id": f"{app}.{function}-{n}", "app": app, "function": function, "operation_type": "WRITE",
            "args": [{"name": name, "value_type": type(value).__name__,
                      "value": value if isinstance(value, str) else json.dumps(value)}
                     for name, value in args.items()]}
