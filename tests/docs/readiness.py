"""What C{/readyz} says is wrong, as the documentation lists it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import simmail

#: A page, and the heads of the columns of the table there.
_PAGE = Path(simmail.__file__).parent / "docs" / "configuration.rst"
_HEADS = "Check", "What it says", "What to do"


def documented() -> list[tuple[str, str, str]]:
    """Return the rows: a check, what it begins with when something is wrong, and what to do."""
    lines = iter(_PAGE.read_text(encoding="utf-8").splitlines())
    rule = ""
    for line in lines:
        if re.fullmatch(r"=[= ]+", line):
            rule = line
        elif tuple(re.split(r"  +", line)) == _HEADS:
            break
    spans = [match.span() for match in re.finditer("=+", rule)]
    spans[-1] = spans[-1][0], 1000
    next(lines)
    rows: list[list[str]] = []
    for line in lines:
        if line == rule:
            break
        cells = [line[begin:end].strip() for begin, end in spans]
        if cells[0]:
            rows.append(cells)
        else:
            rows[-1] = [f"{one} {more}".strip() for one, more in zip(rows[-1], cells)]
    return [(check.strip("`"), says.strip("`"), do) for check, says, do in rows]


def undocumented(checks: Mapping[str, str]) -> dict[str, str]:
    """Return those of the checks of C{/readyz} that tell something the documentation does not know."""
    rows = documented()
    return {name: told for name, told in checks.items() if told != "ok" and not any(
        check == name and (told == says or told.startswith(f"{says}:")) for check, says, _ in rows)}
