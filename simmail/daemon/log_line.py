"""
How an event of the log stands in it (C{log.format}): as a line for people, or as a JSON object in a line for programs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import lru_cache

from twisted.logger import LogEvent, LogLevel

#: What else of an event a program may want: whose mail it is, and where the service is reached once it serves.
_FIELDS = ("universe", "ready")


def text_line(event: LogEvent, text: str) -> str:
    """Return time, level, namespace and text, and below it the traceback of a failure."""
    if not text.isprintable():
        # It may quote a stranger: a line stays one line, and a terminal what it is.
        text = "".join([one if one.isprintable() else one.encode("unicode_escape").decode() for one in text])
    line = (f"{_second(int(event['log_time']))}Z {event.get('log_level', LogLevel.info).name} "
            f"{event.get('log_namespace', '-')}: {text}\n")
    return line + event["log_failure"].getTraceback() if "log_failure" in event else line


def json_line(event: LogEvent, text: str) -> str:
    """Return the same as an object in ASCII: C{time, level, namespace, message}; C{traceback, universe, ready}."""
    seconds = event["log_time"]
    said = {"time": f"{_second(int(seconds))}.{int(seconds % 1 * 1000):03d}Z",
            "level": event.get("log_level", LogLevel.info).name, "namespace": event.get("log_namespace", "-"),
            "message": text}
    if "log_failure" in event:
        said["traceback"] = event["log_failure"].getTraceback()
    said.update((name, event[name]) for name in _FIELDS if name in event)
    return json.dumps(said, default=str) + "\n"


@lru_cache(8)
def _second(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")


Form = Callable[[LogEvent, str], str]

#: By C{log.format}.
FORMS: Mapping[str, Form] = {"text": text_line, "json": json_line}
