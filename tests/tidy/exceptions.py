"""
What still breaks a rule, a line each in C{exceptions.yaml}: the lists only shrink.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import yaml

from tests.tidy import imports, outside, sizes, state
from tests.tidy.source import House

#: The one place of all exceptions.
PATH = Path(__file__).with_name("exceptions.yaml")

#: Each rule that has exceptions, by its name there.
RULES: Mapping[str, Callable[[House], list[str]]] = {
    "between rooms": imports.between_rooms,
    "between parts": imports.between_parts,
    "circles": imports.in_circles,
    "drawer": imports.drawer,
    "large folders": sizes.large_folders,
    "large classes": sizes.large_classes,
    "homonyms": sizes.homonyms,
    "mutable state": state.mutable_state,
    "private names of Twisted": outside.private_twisted,
    "disk": outside.disk,
    "network": outside.network,
    "environment": outside.environment,
    "wall clock": outside.wall_clock,
    "known as Any": outside.hidden,
}


def listed() -> Mapping[str, list[str]]:
    """Return the exceptions of each rule."""
    read = yaml.safe_load(PATH.read_text(encoding="utf-8")) or {}
    return {rule: read.get(rule) or [] for rule in {**dict.fromkeys(RULES), **read}}


def compare(found: list[str], excepted: list[str]) -> list[str]:
    """Return what has to be mended and what has to leave the list, C{[]} when both are the same."""
    return ([f"new: {one}" for one in found if one not in excepted]
            + [f"mended, remove it from {PATH.name}: {one}" for one in excepted if one not in found])


def reasons() -> Mapping[str, str]:
    """Return the comment at the end of each exception that has one."""
    return dict(re.findall(r"^ +- (.+?)( +#.*)$", PATH.read_text(encoding="utf-8"), re.MULTILINE))


def rewritten(house: House) -> Iterator[str]:
    """Yield the lines of the file as it would have to be, with the reasons that are given in it."""
    kept = reasons()
    yield "# What still breaks a rule of tests/tidy.  These lists only shrink; what stays says why behind a #."
    for rule, check in RULES.items():
        found = check(house)
        yield f"{rule}:" if found else f"{rule}: []"
        yield from (f"  - {one}{kept.get(one, '')}" for one in found)
