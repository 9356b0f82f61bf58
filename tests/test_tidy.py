"""
The invariants of the house, read off the source (simmail/docs/architecture.rst).

C{python -m tests.test_tidy} prints how the house stands; with C{--exceptions} what C{tests/tidy/exceptions.yaml} would
have to be (after modules were moved: write it to another file and put that in its place, so that reasons are kept).
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator

from twisted.trial.unittest import SynchronousTestCase

from tests.tidy import exceptions, imports, outside, sizes
from tests.tidy.source import ROOT, House, Module, under

#: What core may not know (invariant 1).
UNKNOWN_TO_CORE = frozenset({
    "twisted", "os", "socket", "random", "uuid", "secrets", "time", "threading", "subprocess",
})

#: The source, read once for all tests.
HOUSE = House.read()


def text_of(value: object) -> str:
    """A constant as text, C{""} when it is none."""
    return value.decode("latin-1") if isinstance(value, bytes) else value if isinstance(value, str) else ""


class PlanTests(SynchronousTestCase):
    """The source keeps to the plan of the house, but for what C{tests/tidy/exceptions.yaml} lists."""

    def holds(self, rule: str) -> None:
        """Fail on what breaks a rule and is not listed, and on what is listed and does not break it any more."""
        wrong = exceptions.compare(exceptions.RULES[rule](HOUSE), exceptions.listed()[rule])
        if wrong:
            self.fail("\n".join([f"{rule}:", *wrong]))

    def test_rules(self) -> None:
        """Only rules have exceptions, each has its list, and nothing is listed twice."""
        self.assertEqual(set(exceptions.listed()), set(exceptions.RULES))
        self.assertEqual([one for lines in exceptions.listed().values() for one in lines if lines.count(one) > 1],
                         [])

    def test_between_rooms(self) -> None:
        """Rooms import only what the architecture lets them."""
        self.holds("between rooms")

    def test_between_parts(self) -> None:
        """Inside a room a part imports only parts below it."""
        self.holds("between parts")

    def test_circles(self) -> None:
        """No module knows one that knows it, imports for types only and inside functions counted."""
        self.holds("circles")

    def test_drawer(self) -> None:
        """Modules lie where the plan has a place for them."""
        self.holds("drawer")

    def test_folders(self) -> None:
        """A folder holds 16 modules at most."""
        self.holds("large folders")

    def test_classes(self) -> None:
        """A class has 500 lines at most, with its bases in simmail."""
        self.holds("large classes")

    def test_homonyms(self) -> None:
        """No two public classes share a name."""
        self.holds("homonyms")

    def test_mutable_state(self) -> None:
        """Nothing at module level is filled or changed."""
        self.holds("mutable state")

    def test_private_twisted(self) -> None:
        """Nobody uses what Twisted keeps to itself."""
        self.holds("private names of Twisted")

    def test_disk(self) -> None:
        """Only those who keep something touch the disk."""
        self.holds("disk")

    def test_network(self) -> None:
        """Only outbound, the database and the writer's client dial out."""
        self.holds("network")

    def test_environment(self) -> None:
        """Only the wiring and the command line read the environment."""
        self.holds("environment")

    def test_no_wall_clock(self) -> None:
        """Outside wiring and the command line nothing reads the wall clock or a global generator."""
        self.holds("wall clock")

    def test_known(self) -> None:
        """Nobody takes a universe, a login or a store as C{Any}."""
        self.holds("known as Any")


class TidyTests(SynchronousTestCase):
    """The source keeps to what holds everywhere."""

    def test_core_is_pure(self) -> None:
        """core/ imports no I/O, no clock and no free randomness."""
        wrong = [
            f"{module.name} imports {name}" for module in HOUSE if under(module.name, frozenset({"core"}))
            for name, _ in module.imports if name.partition(".")[0] in UNKNOWN_TO_CORE
        ]
        self.assertEqual(wrong, [])

    def test_no_reactor_at_module_level(self) -> None:
        """Nothing imports the reactor when it is imported itself."""
        wrong = [
            module.name for module in HOUSE for name, top in module.imports
            if top and name == "twisted.internet.reactor"
        ]
        self.assertEqual(wrong, [])

    def test_plugin_imports_nothing(self) -> None:
        """Looking at plugins installs no reactor: the plugin module imports the ServiceMaker only."""
        path = ROOT.parent / "twisted" / "plugins" / "simmail_plugin.py"
        if not path.exists():
            self.skipTest("the plugin lies elsewhere in an installed package")
        plugin = Module("plugin", path.read_text(encoding="utf-8"))
        self.assertEqual({name for name, _ in plugin.imports}, {"twisted.application.service.ServiceMaker"})

    def test_who_speaks_redis(self) -> None:
        """Only database/ speaks Redis."""
        wrong = [module.name for module in HOUSE for name, _ in module.imports
                 if name.partition(".")[0] in ("txredisapi", "redis", "valkey")
                 and not under(module.name, frozenset({"database"}))]
        self.assertEqual(wrong, [])

    def test_no_possessive_groups(self) -> None:
        """
        No regular expression repeats a group possessively.

        Python before 3.11.5 (Debian 12 has 3.11.2) does not go back to where a failed repetition began
        (CPython issue 106052).  Where repetitions begin differently a plain one is as fast.
        """
        possessive = re.compile(r"(?<!\\)\)(?:[*+?]|\{[0-9,]+\})\+|\(\?>")
        wrong = []
        for module in HOUSE:
            for node in module.nodes:
                if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re."):
                    wrong += [f"{module.name}:{part.lineno}" for part in ast.walk(node)
                              if isinstance(part, ast.Constant) and possessive.search(text_of(part.value))]
        self.assertEqual(wrong, [])

    def test_every_module_says_what_it_is(self) -> None:
        """Each module begins with a docstring."""
        self.assertEqual([module.name for module in HOUSE if not ast.get_docstring(module.tree)], [])


def missing_references() -> str:
    """Return how many references lead nowhere, as C{tests.test_references} counts them."""
    try:
        from tests.test_references import Resolver, texts
    except ImportError:
        return "not counted: there is no tests.test_references"
    resolver = Resolver()
    return str(sum(len([*resolver.missing(text, (ROOT.parent / name).parent)]) for name, text in texts()))


def table(house: House) -> Iterator[str]:
    """Yield how the house stands, a line each."""
    circles = imports.circles(house)
    lines, largest = max((lines, name) for name, lines in sizes.classes(house).items())
    count, folder = max((count, name or "the top") for name, count in sizes.folders(house).items()
                        if name not in sizes.BY_HEADING)
    found = {rule: check(house) for rule, check in exceptions.RULES.items()}
    against = len(found["between rooms"]) + len(found["between parts"])
    yield f"modules                        {len(house.modules)}"
    yield f"circles                        {len(circles)} {[len(circle) for circle in circles] or ''}"
    yield from (f"    {', '.join(circle)}" for circle in circles)
    yield f"imports against the direction  {against}"
    yield f"without a place in the plan    {len(found['drawer'])}"
    yield f"largest folder                 {folder}, {count} modules"
    yield f"largest class with its bases   {largest}, {lines} lines"
    yield f"homonyms                       {len(found['homonyms'])}"
    yield f"mutable state of modules       {len(found['mutable state'])}"
    yield f"private names of Twisted       {len(found['private names of Twisted'])}"
    yield f"references to missing pages    {missing_references()}"
    yield f"known as Any                   {len(found['known as Any'])}"
    for title, check in (("touches the disk", outside.touches_disk), ("dials out", outside.dials),
                         ("reads the environment", outside.reads_environment)):
        yield f"{title:31}{', '.join(module.name for module in house if check(module))}"
    yield f"exceptions listed              {sum(map(len, exceptions.listed().values()))}"


if __name__ == "__main__":
    print("\n".join(exceptions.rewritten(HOUSE) if "--exceptions" in sys.argv[1:] else table(HOUSE)))
