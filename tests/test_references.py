"""What docstrings, comments and documents cite is in the repository: sections, promises, pages, modules, tests."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

from twisted.trial.unittest import SkipTest, SynchronousTestCase

import simmail
from simmail.config import Config
from simmail.rest.routes import all_routes

ROOT = Path(simmail.__file__).parents[1]
DOCS = ROOT / "simmail" / "docs"

#: What is looked at: all that people write, but no mail.
_LOOKED_AT = ("simmail/**/*.py", "simmail/**/*.rst", "simmail/**/*.lua", "simmail/**/*.html", "simmail/**/*.js",
              "simmail/**/*.css", "tests/**/*.py", "tests/dialogs/**/*.txt", "scripts/*", "scripts/bench/*", "etc/*",
              "twisted/**/*.py", "README.rst", "setup.cfg", "pyproject.toml")

_NUMBERED = re.compile(r"^([A-Z]?\d+[a-z]?)\. .+\n-+\n", re.MULTILINE)

#: "decisions, section 20", "decisions, sections 6 to 8 and 23", 'decisions, "Conventions"'.
_OF_SECTIONS = re.compile(r"\b([A-Za-z][a-z-]+), (?=sections? \d)|\b([Dd]ecisions), (?=\")")
_SECTION = re.compile(r"(?:sections? )?(\d+)\b|\"([^\"]+)\"")
_REMARK = re.compile(r" steps? \d+(?: to \d+)?| \([^()]*\)|: \"[^\"]+\"")
_JOINT = re.compile(r",? (and|to) (?=(?:sections? )?\d|\")|, (?=(?:sections? )?\d|\")")

#: "promises, R8", "promises, R9 to R12 and S4"; what is cited so by another name is a page that is not there.
_OF_PROMISES = re.compile(r"(?<!bench/)\b[Pp]romises?,? (?=[RS]\d)")
_OF_NOTHING = re.compile(r"(?:Sources?: |; |\()(?!promises?\b)[a-z]{3,},? [RS]\d{1,2}\b")
_PROMISE = re.compile(r"([RS])(\d{1,2})([a-z]?)\b")
_NEXT = re.compile(r",? (and|to) (?=[RS]\d)|, (?=[RS]\d)")

#: 'API contract, "Errors" and "Limits"'.
_OF_CONTRACT = re.compile(r"\bAPI contract, (\"[^\"]+\"(?: and \"[^\"]+\")*)")

_PAGE = re.compile(r"(?<![\w*{/.-])((?:[\w-]+/)*[\w-]+\.(?:rst|md))\b")
#: ``universe/policy.py``, ``simmail/core/``: a file or folder, as seen from the repository or from the package.
_FILE = re.compile(r"``((?:[a-z_]+/)+(?:[a-z_]+/|[a-z_]+\.(?:py|lua|yaml)))``")
_DOC = re.compile(r":doc:`([\w-]+)`")

_TOP = "|".join(sorted({path.stem for path in (ROOT / "simmail").iterdir() if not path.name.startswith("_")}))
#: C{core.mime.address}, C{core.rules.faults.judge(passing)}, C{tests.test_tidy}: what begins as a package does is
#: a module or something in one; L{...} is that always, also where it begins further below: L{url.WebUrl.place}.
_NAME = re.compile(rf"C\{{((?:simmail|tests|{_TOP})(?:\.\w+)+)(?:\([^{{}}]*\))?\}}"
                   r"|L\{(?:[^{}<]*<)?(\w+(?:\.\w+)+)>?\}|``((?:simmail|tests)(?:\.\w+)+)``")
#: Files and a log's namespace that are called alike.
_NO_NAME = re.compile(r"(?:daemon\.lock|simmail\.(?:log(?:\.1)?|mail|service|socket|logrotate))$")


def texts() -> Iterator[tuple[str, str]]:
    """Each file's name and its text in one line, without the signs of comments."""
    for pattern in _LOOKED_AT:
        for path in sorted(ROOT.glob(pattern)):
            if path.is_file() and path != Path(__file__):
                text = path.read_text(encoding="utf-8", errors="replace")
                yield str(path.relative_to(ROOT)), one_line(text)


def one_line(text: str) -> str:
    """Text in one line, without the signs of comments."""
    return re.sub(r"\s*\n\s*(?:(?:#:?|//|--|\*) )?\s*", " ", text)


def sections(page: str) -> dict[str, str]:
    """The numbered sections of a page of the documentation, headings included; under C{""} the whole page."""
    text = (DOCS / f"{page}.rst").read_text(encoding="utf-8")
    found = {"": _plain(text)}
    starts = [*_NUMBERED.finditer(text)]
    for start, end in zip(starts, [*(one.start() for one in starts[1:]), len(text)]):
        found[start[1]] = _plain(text[start.start():end])
    return found


def _plain(text: str) -> str:
    return " ".join(re.sub(r"C\{([^{}]*)\}|[`*]", r"\1", text).lower().split())


@cache
def names() -> frozenset[str]:
    """All modules and what is in them, dotted, as seen from everywhere above: C{core.net.url.WebUrl}, C{url.WebUrl}."""
    found: set[str] = set()
    for folder in ("simmail", "tests"):
        for path in (ROOT / folder).rglob("*.py"):
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            found.add(module)
            for name in _defined(ast.parse(path.read_text(encoding="utf-8"))):
                found.add(f"{module}.{name}")
    return frozenset(name[start.start():] for name in found for start in re.finditer(r"\b\w+\b", name))


def _defined(node: ast.AST) -> Iterator[str]:
    """Yield what a module or a class has by name, with what its classes have; methods set further attributes."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield child.name
        if isinstance(child, ast.ClassDef):
            yield from (f"{child.name}.{name}" for name in _defined(child))
        elif isinstance(child, ast.alias):
            yield child.asname or child.name
        elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            yield child.id
        elif isinstance(child, ast.Attribute) and isinstance(child.ctx, ast.Store):
            yield child.attr
        elif not isinstance(node, ast.Module) or not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from _defined(child)


def is_setting(name: str) -> bool:
    """Whether a dotted name is a setting of the configuration: C{smtp.sender}."""
    found: object = Config()
    for word in name.split("."):
        if not hasattr(found, word):
            return False
        found = getattr(found, word)
    return True


class Resolver:
    """Looks up what texts cite; C{cited}: how many references it has seen."""

    def __init__(self) -> None:
        self.cited = 0
        self._pages = {path.stem: sections(path.stem) for path in DOCS.glob("*.rst")}

    def missing(self, text: str, folder: Path = DOCS) -> Iterator[str]:
        """
        References of a text (in one line) that lead nowhere.

        @param folder: where the text is; pages may be named as seen from there.
        """
        for match in _OF_SECTIONS.finditer(text):
            yield from self._sections(text, match.end(), (match[1] or match[2]).lower())
        for match in _OF_PROMISES.finditer(text):
            yield from self._promises(text, match.end())
        for match in _OF_CONTRACT.finditer(text):
            for part in re.findall(r"[^\"/]{3,}", match[1].replace('" and "', '"')):
                self.cited += 1
                if _plain(part) not in self._pages["api-contract"][""]:
                    yield f"{part}: the API contract does not say so"
        for match in _OF_NOTHING.finditer(text):
            yield f"{match[0]}: promises are cited as \"promises, R8\""
        for match in _PAGE.finditer(text):
            self.cited += 1
            if not any((base / match[1]).is_file() for base in (ROOT, DOCS, folder)):
                yield f"{match[1]}: no such page"
        for match in _FILE.finditer(text):
            self.cited += 1
            if not any((base / match[1]).exists() for base in (ROOT, ROOT / "simmail")):
                yield f"{match[1]}: no such file"
        for match in _DOC.finditer(text):
            self.cited += 1
            if match[1] not in self._pages:
                yield f"{match[1]}: no such page"
        for match in _NAME.finditer(text):
            name = match[1] or match[2] or match[3]
            if not _NO_NAME.match(name):
                self.cited += 1
                if not (name in names() or is_setting(name)):
                    yield f"{name}: no such module, nor anything in one"

    def _sections(self, text: str, place: int, page: str) -> Iterator[str]:
        known = self._pages.get(page)
        if known is None:
            yield f"{text[place - len(page) - 2:place + 20]}: no page {page}"
            return
        number, last, joint = "", 0, ""
        while (match := _SECTION.match(text, place)) is not None:
            quotes = [match[2]] if match[2] else []
            place = match.end()
            if match[1]:
                number = match[1]
                asked = range(last + 1 if joint == "to" else int(number), int(number) + 1)
                for one in asked:
                    self.cited += 1
                    if str(one) not in known:
                        yield f"{page}, section {one}: no such section"
                last = int(number)
            while (remark := _REMARK.match(text, place)) is not None:
                quotes += re.findall(r"\"([^\"]+)\"", remark[0])
                place = remark.end()
            for quote in quotes:
                self.cited += 1
                if not all(_plain(part).strip(".,") in known.get(number, "") for part in quote.split("…")):
                    yield f"{page}, section {number or '-'}: nothing of {quote!r} there"
            following = _JOINT.match(text, place)
            if following is None:
                return
            joint, place = following[1] or "", following.end()

    def _promises(self, text: str, place: int) -> Iterator[str]:
        known, last, joint = self._pages["promises"], 0, ""
        while (match := _PROMISE.match(text, place)) is not None:
            number = int(match[2])
            names = [f"{match[1]}{one}" for one in range(last + 1, number)] if joint == "to" else []
            for name in [*names, match[0]]:
                self.cited += 1
                if name not in known:
                    yield f"promises, {name}: no such promise"
            place, last = match.end(), number
            following = _NEXT.match(text, place)
            if following is None:
                return
            joint, place = following[1] or "", following.end()


class ReferenceTests(SynchronousTestCase):
    """Whoever follows a reference finds what it speaks of."""

    def setUp(self) -> None:
        if not (ROOT / "README.rst").exists():
            raise SkipTest("not run from a checkout")

    def test_everything_cited_is_there(self) -> None:
        """Sections of the decisions, promises by number, and pages by name."""
        resolver = Resolver()
        wrong = [f"{name}: {one}" for name, text in texts() for one in resolver.missing(text, (ROOT / name).parent)]
        self.assertEqual(wrong, [])
        self.assertGreater(resolver.cited, 250)

    def test_leads_nowhere(self) -> None:
        """A reference to what is not there is told, however it is written."""
        for text in ("decisions, section 99", "decisions, sections 2, 3 and 99", "decisions, sections 22 to 24",
                     "decisions, section 0", 'decisions, section 23 ("Unheard of")', 'decisions, section 3, "Personas"',
                     'decisions, "Unheard of"', 'decisions, section 8: "Unheard of"', "Source: facts, section 4",
                     "promises, R99", "promises, R8 and S11", "promises, R14 to R17", "(reliability, R8)",
                     "Source: reliability R9 to R12", "a promise S0", "see nowhere.rst", "facts.md",
                     ":doc:`nowhere`", "``universe/nowhere.py``", "``simmail/nowhere/``",
                     'API contract, "Unheard of"', 'API contract, "Errors" and "Unheard of"', "C{core.nowhere}",
                     "L{nowhere.f}", "C{core.rules.faults.unheard_of(passing)}", "C{universe.unheard_of}",
                     "L{url.WebUrl.unheard_of}", "L{it<simmail.core.nowhere>}",
                     "``tests.nowhere``", "C{smtp.unheard_of}"):
            self.assertTrue([*Resolver().missing(text)], text)
        for text in ("decisions, section 20", 'decisions, sections 1, 2 (sign in) and 23 ("Failed logins")',
                     'decisions, "Durations" and section 23 ("Hours may cross midnight")',
                     "decisions, section 8 step 4", 'decisions, section 23, "Recipients"; RFC 3501 section 99',
                     "promises, R9 to R12, S4", 'API contract, "Errors" and "Limits"',
                     "promises, R1f and S10", "smtp.rst", ":doc:`mailstore`", "decisions, delays and texts",
                     "C{core.net.url}", "L{url.WebUrl.place}", "C{simmail.core.net.url.WebUrl}", "C{smtp.sender}",
                     "L{it<simmail.core.net>}", "C{universe.people.cases}", "C{job.done}", "C{people.yaml}",
                     "C{daemon.lock}", "``tests.test_tidy``"):
            self.assertEqual([*Resolver().missing(text)], [], text)

    def test_numbers_in_tests(self) -> None:
        """A test that begins with a promise's number names one that is there."""
        known = sections("promises")
        found = [(path.name, number) for path in sorted((ROOT / "tests").rglob("*.py"))
                 for number in re.findall(r"\"\"\"([RS]\d+[a-z]?): ", path.read_text(encoding="utf-8"))]
        self.assertGreater(len(found), 15)
        self.assertEqual([one for one in found if one[1] not in known], [])

    def test_index(self) -> None:
        """The README names every page of the documentation."""
        text = (ROOT / "README.rst").read_text(encoding="utf-8")
        self.assertEqual([path.name for path in DOCS.glob("*.rst") if f"<simmail/docs/{path.name}>" not in text], [])


class PromisesPageTests(SynchronousTestCase):
    """promises.rst."""

    def setUp(self) -> None:
        text = (DOCS / "promises.rst").read_text(encoding="utf-8")
        parts = _NUMBERED.split(text)
        self.promises = dict(zip(parts[1::2], parts[2::2]))

    def test_all(self) -> None:
        """R1 to R16 with R1f, S1 to S10; each has a bound, and a test unless it is not served yet."""
        wanted = {f"R{n}" for n in range(1, 17)} | {"R1f"} | {f"S{n}" for n in range(1, 11)}
        self.assertEqual(set(self.promises), wanted)
        for name, text in self.promises.items():
            self.assertIn("- Bound: ", text, name)
            self.assertNotEqual("``tests." in text, "Not served yet" in text, name)

    def test_tests(self) -> None:
        """Each test that is named is one that is run."""
        for name, text in self.promises.items():
            for path in re.findall(r"``(tests\.[\w.]+)``", text):
                module, kind, method = path.rsplit(".", 2)
                self.assertTrue(callable(getattr(getattr(import_module(module), kind, None), method, None)),
                                f"{name}: {path}")

    def test_drivers(self) -> None:
        """Each driver that is named proves that promise, in parts where it says so."""
        for name, text in self.promises.items():
            for script, part in re.findall(r"``scripts/bench/(\w+) (\w+)``", " ".join(text.split())):
                self.assertTrue(part.startswith(name), f"{name}: {part}")
                self.assertIn(part, _proved(script), f"{name}: {script}")


def _proved(script: str) -> set[str]:
    """What a driver takes by name; R2 and R3 are parts of R1 there."""
    path = ROOT / "scripts" / "bench" / script
    if not path.exists():
        raise SkipTest("not run from a checkout")
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0] if isinstance(
            node, ast.Assign) else None
        if isinstance(target, ast.Name) and target.id == "PROMISES" and isinstance(
                node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Dict):
            names = {one.value for one in node.value.keys if isinstance(one, ast.Constant)}
            return {str(one) for one in names} | ({"R2", "R3"} if "R1" in names else set())
    return set()


class DecisionsPageTests(SynchronousTestCase):
    """decisions.rst."""

    def test_numbered(self) -> None:
        """Sections are numbered without a gap: docstrings cite them by number."""
        text = (DOCS / "decisions.rst").read_text(encoding="utf-8")
        found = _NUMBERED.findall(text)
        self.assertEqual(found, [str(n + 1) for n in range(len(found))])
        self.assertGreater(len(found), 20)

    def test_paths(self) -> None:
        """Of the paths in section 2 those are served that are not marked, and no others."""
        served = {_shape(route.path) for route in all_routes()}
        text = (DOCS / "decisions.rst").read_text(encoding="utf-8")
        table = text[text.index(".. list-table::"):text.index("\n3. ")]
        rows = [" ".join(row.split()) for row in table.split("   * - ")[2:]]
        self.assertGreater(len(rows), 15)
        for row in rows:
            paths = [_shape(path) for path in re.findall(r"(?<![\w…}])(?:/api)?/(?!events``)[a-z][\w/{}.-]*", row)]
            self.assertTrue(paths, row)
            for path in paths:
                self.assertEqual(path in served, "**Not served yet.**" not in row, f"{path}: {row}")


def _shape(path: str) -> str:
    return re.sub(r"\{\w+\}", "{}", path)
