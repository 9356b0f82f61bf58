"""
The blocks of code on a page.

What a page shows is run in order, in one folder.  A block with a caption is a file of that name, of which the syntax is
looked at: what it is for may not be installed.  Any other C{sh}, C{python} or C{js} is run, and C{text} is what the one
before it printed, with an ellipsis for what differs each time.  Before a block that is not run stands a comment that
says why: C{.. not run: it stays in the foreground}.
"""

from __future__ import annotations

import fnmatch
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

import simmail
from tests.journeys.running import ended

DOCS = Path(simmail.__file__).parent / "docs"

_BLOCK = re.compile(
    r"(?:^ *\.\. not run: (?P<why>(?:.+\n)+)\n+)?"
    r"^ *(?:\.\. code-block:: (?P<kind>\w+)\n(?:   :caption: (?P<name>.+)\n)?|(?!\.\. ).*::\n)\n"
    r"(?P<text>(?: {3,}.*\n|\n)+)", re.MULTILINE)


class Block(NamedTuple):
    """
    One block.

    @ivar kind: its language, C{""} where the page does not say; name: of the file that it is; why: it is not run.
    """

    kind: str
    name: str
    text: str
    why: str


def blocks(page: str) -> Iterator[Block]:
    """Yield the blocks of a page, in order."""
    for match in _BLOCK.finditer((DOCS / f"{page}.rst").read_text(encoding="utf-8")):
        yield Block(match["kind"] or "", match["name"] or "", dedent(match["text"]).strip("\n") + "\n",
                    " ".join((match["why"] or "").split()))


def answers() -> list[tuple[str, str]]:
    """Return each call of C{http-api}, and the answer that is shown below it."""
    page = (DOCS / "http-api.rst").read_text(encoding="utf-8")
    return re.findall(r"^    (curl .+)\n\nanswers::\n\n((?:    .*\n)+)", page, re.MULTILINE)


def top_level(shown: str) -> set[str]:
    """Return the names of the fields that such an answer has; of a list, those of its first item."""
    # What is left out is shown as an ellipsis, which is no JSON.
    inner = 2 if shown.lstrip().startswith("[") else 1
    return set(re.findall(rf'^ {{{4 + inner}}}"([a-z_]+)":', shown, re.MULTILINE))


def run(page: str, folder: Path, environment: Mapping[str, str]) -> int:
    """
    Run a page; return how many blocks were.

    @raise AssertionError: one failed, or printed something else.
    """
    count, out = 0, ""
    for block in blocks(page):
        if block.why or block.kind == "js" and shutil.which("node") is None:
            continue
        if block.name:
            path = folder / block.name
            path.write_text(block.text, encoding="utf-8")
            if block.kind == "python":
                compile(block.text, block.name, "exec")
            elif block.kind == "js":
                ran = ended(["node", "--check", str(path)])
                assert ran.returncode == 0, f"{page}: {block.name}: {ran.stderr}"
        elif block.kind == "text":
            # In a pattern a bracket begins a set.
            pattern = re.sub(r"[][?*]", lambda one: f"[{one[0]}]", block.text.strip()).replace("…", "*")
            assert fnmatch.fnmatchcase(out.strip(), pattern), f"{page}: {out!r} is not {block.text!r}"
        else:
            command = {"sh": ["sh", "-euc"], "python": [sys.executable, "-c"],
                       "js": ["node", "--input-type=module", "-e"]}[block.kind]
            ran = ended([*command, block.text], env=dict(environment), cwd=folder)
            # curl goes by whether it was answered at all.
            fine = ran.returncode == 0 and not ran.stdout.startswith('{"error"')
            assert fine, f"{page}: {block.text}{ran.stdout}{ran.stderr}"
            out = ran.stdout
        count += 1
    return count


def tools(folder: Path) -> None:
    """Make the commands that an installed package brings, in a folder for C{PATH}."""
    for name, module in (("python", ""), ("simmail", "-m simmail"), ("pytest", "-m pytest")):
        path = folder / name
        path.write_text(f'#!/bin/sh\nexec "{sys.executable}" {module} "$@"\n', encoding="utf-8")
        path.chmod(0o755)
