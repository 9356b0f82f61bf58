"""
The invariants of the house, read off the source (simmail/docs/architecture.rst).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

import simmail

ROOT = Path(simmail.__file__).parent

#: What each room may import of simmail's other rooms; core and top-level seams are open to all.
ROOMS = {
    "core": set[str](),
    "mailstore": {"core"},
    "database": {"core"},
    "outbound": {"core"},
    "universe": {"core", "database.records", "mailstore.records"},
    "smtp": {"core", "universe"},
    "imap": {"core", "universe", "mailstore.records"},
    "rest": {"core", "universe", "database.records", "mailstore.records"},
    "pages": {"core", "universe", "rest"},
}

#: Modules at the top that any room may use.
SEAMS = {"concurrency", "durable", "errors", "newpassword", "interfaces", "config", "__version__"}

#: Modules that wire everything together.
WIRING = {"tap", "command", "figures", "firststart", "listeners", "tls", "__main__"}

#: What core may not know (invariant 1).
UNKNOWN_TO_CORE = {"twisted", "os", "socket", "random", "uuid", "secrets", "time", "threading", "subprocess"}


def modules() -> Iterator[tuple[str, ast.Module]]:
    """Each module's dotted name below simmail, and its tree."""
    for path in sorted(ROOT.rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        yield name, ast.parse(path.read_text(encoding="utf-8"), str(path))


def imported(tree: ast.Module) -> Iterator[tuple[str, bool]]:
    """Each module imported, and whether that happens at module level and at run time."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node in tree.body
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, node in tree.body
            for alias in node.names:
                yield f"{node.module}.{alias.name}", node in tree.body


def text_of(value: object) -> str:
    """A constant as text, C{""} when it is none."""
    return value.decode("latin-1") if isinstance(value, bytes) else value if isinstance(value, str) else ""


class TidyTests(SynchronousTestCase):
    """The source keeps to the plan of the house."""

    def test_direction(self) -> None:
        """Rooms import only what the architecture lets them."""
        wrong = []
        for name, tree in modules():
            room = name.partition(".")[0]
            if room not in ROOMS:
                continue
            allowed = ROOMS[room] | SEAMS | {room}
            for module, _ in imported(tree):
                if not module.startswith("simmail."):
                    continue
                target = module.removeprefix("simmail.")
                if not any(target == one or target.startswith(one + ".") for one in allowed) and not any(
                        one.startswith(target + ".") for one in allowed):
                    wrong.append(f"{name} imports {module}")
        self.assertEqual(wrong, [])

    def test_core_is_pure(self) -> None:
        """core/ imports no I/O, no clock and no free randomness."""
        wrong = [
            f"{name} imports {module}" for name, tree in modules() if name.startswith("core")
            for module, _ in imported(tree) if module.partition(".")[0] in UNKNOWN_TO_CORE
        ]
        self.assertEqual(wrong, [])

    def test_no_wall_clock(self) -> None:
        """Outside wiring and the command line nothing reads the wall clock or a global generator."""
        wrong = []
        for name, tree in modules():
            if name in WIRING:
                continue
            for node in ast.walk(tree):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                    owner = node.func.value
                    called = (owner.id if isinstance(owner, ast.Name) else
                              owner.attr if isinstance(owner, ast.Attribute) else ""), node.func.attr
                    if called in {("time", "time"), ("datetime", "now"), ("datetime", "utcnow"), ("date", "today"),
                                  ("datetime", "today"), ("random", "random"), ("uuid", "uuid4")}:
                        wrong.append(f"{name}:{node.lineno} calls {'.'.join(called)}")
        self.assertEqual(wrong, [])

    def test_no_reactor_at_module_level(self) -> None:
        """Nothing imports the reactor when it is imported itself."""
        wrong = [
            name for name, tree in modules() for module, top in imported(tree)
            if top and module == "twisted.internet.reactor"
        ]
        self.assertEqual(wrong, [])

    def test_plugin_imports_nothing(self) -> None:
        """Looking at plugins installs no reactor: the plugin module imports the ServiceMaker only."""
        path = ROOT.parent / "twisted" / "plugins" / "simmail_plugin.py"
        if not path.exists():
            self.skipTest("the plugin lies elsewhere in an installed package")
        tree = ast.parse(path.read_text(encoding="utf-8"))
        self.assertEqual({module for module, _ in imported(tree)},
                         {"twisted.application.service", "twisted.application.service.ServiceMaker"})

    def test_who_speaks_redis(self) -> None:
        """Only database/ speaks Redis."""
        wrong = [name for name, tree in modules() for module, _ in imported(tree)
                 if module.partition(".")[0] in ("txredisapi", "redis", "valkey") and not name.startswith("database")]
        self.assertEqual(wrong, [])

    def test_no_possessive_groups(self) -> None:
        """
        No regular expression repeats a group possessively.

        Python before 3.11.5 (Debian 12 has 3.11.2) does not go back to where a failed repetition began
        (CPython issue 106052).  Where repetitions begin differently a plain one is as fast.
        """
        possessive = re.compile(r"(?<!\\)\)(?:[*+?]|\{[0-9,]+\})\+|\(\?>")
        wrong = []
        for name, tree in modules():
            for node in ast.walk(tree):
                if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re."):
                    wrong += [f"{name}:{part.lineno}" for part in ast.walk(node) if isinstance(part, ast.Constant)
                              and possessive.search(text_of(part.value))]
        self.assertEqual(wrong, [])

    def test_every_module_says_what_it_is(self) -> None:
        """Each module begins with a docstring."""
        self.assertEqual([name for name, tree in modules() if not ast.get_docstring(tree)], [])
