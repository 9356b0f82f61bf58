"""
The data folders of the languages, C{simmail/core/templates/<code>}, written for translators.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

import yaml

_TEMPLATES = files("simmail.core").joinpath("templates")
#: The languages there are: English, which a mail is in that is in none, and whatever else has a folder.
LANGUAGES: tuple[str, ...] = tuple(sorted(
    (folder.name for folder in _TEMPLATES.iterdir() if folder.joinpath("language.yaml").is_file()),
    key=lambda code: (code != "en", code)))
#: Those of them that mail can be written in as well: their folder has the words, and what it takes to put them.
WRITTEN: tuple[str, ...] = tuple(
    code for code in LANGUAGES if _TEMPLATES.joinpath(code, "common.yaml").is_file() and (
        _TEMPLATES.joinpath(code, "words.yaml").is_file()
        or b"\nsubjects:" in _TEMPLATES.joinpath(code, "language.yaml").read_bytes()))

#: The share of its words that shows a language, so many at least; the share of its letters
#: that shows a script, and what comes before all scripts but ours.
_WORDS, _FEWEST, _SCRIPT, _LATIN = 0.12, 2, 0.3, "\u036f"
_MARKS = ".,;:!?()\"'"

# Every scalar is text (so that "no" and "on" stay words); the C loader where PyYAML has it.
_LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


def read_octets(package: str, *path: str) -> bytes:
    """Return a data file of an installed package."""
    return files(package).joinpath(*path).read_bytes()


def read_yaml(*path: str) -> Any:
    """Return a data file of the templates as plain values, every scalar a text."""
    octets = _TEMPLATES.joinpath(*path).read_bytes()
    return yaml.load(octets, Loader=_LOADER)


def read_optional(*path: str) -> Any:
    """Return a data file as L{read_yaml} does, C{None} where a language has none of that name."""
    return read_yaml(*path) if _TEMPLATES.joinpath(*path).is_file() else None


def folder_yaml(*path: str) -> Iterator[Any]:
    """Give the data files of a folder of the templates, in the order of their names; none where there is no folder."""
    folder = _TEMPLATES.joinpath(*path)
    if folder.is_dir():
        for name in sorted(one.name for one in folder.iterdir() if one.name.endswith(".yaml")):
            yield read_yaml(*path, name)


@cache
def _tongues() -> dict[str, dict[str, Any]]:
    return dict(read_yaml("tongues.yaml"))


@cache
def given_names() -> frozenset[str]:
    """Return first names that are common where the languages are spoken, in lower case."""
    known = _tongues()
    return frozenset(known["first_names"]).union(*known["given_names"].values())


def native(address: str) -> str:
    """Return the language that somebody writes by the country of the address: one of L{WRITTEN}, English by itself."""
    code = _tongues()["countries"].get(address.rpartition(".")[2].lower(), "")
    return code if code in WRITTEN else WRITTEN[0]


def spoken(address: str, name: str, chance: Callable[[float, str], bool]) -> tuple[str, ...]:
    """
    Return the languages that somebody has, their own first: by the country of the address, else by the first name.

    @param chance: draws for the persona whether something of a probability, that has a name, happens.
    """
    known = _tongues()
    first = name.split()[0].lower() if name.split() else ""
    own = known["countries"].get(address.rpartition(".")[2].lower()) or next(
        (code for code, names in known["given_names"].items() if first in names), LANGUAGES[0])
    return (own, *(code for code, share in known["learned"].items() if code != own and chance(float(share), code)))


class _Foreign(NamedTuple):
    """Languages that nobody here reads: those that have a word, and the first and last letter of those scripts."""

    words: dict[str, list[str]]
    scripts: dict[str, tuple[str, str]]


@cache
def _foreign() -> _Foreign:
    known, words = _tongues()["unread"], dict[str, list[str]]()
    for code, signs in known.items():
        for word in signs.get("words", ()):
            words.setdefault(word, []).append(code)
    return _Foreign(words, {code: tuple(signs["script"]) for code, signs in known.items() if "script" in signs})


@lru_cache(256)
def foreign(text: str) -> str:
    """Return the code of the language of a text where nobody here reads it, C{""} for one that may be read."""
    known, low = _foreign(), text.lower()
    words = [word.strip(_MARKS) for word in low.split()]
    hits = Counter(code for word in words for code in known.words.get(word, ()))
    far = [sign for sign in low if sign > _LATIN and sign.isalpha()] if max(low, default="") > _LATIN else []
    if len(far) > _SCRIPT * sum(map(str.isalpha, low)):
        for code, (first, last) in known.scripts.items():
            hits[code] += sum(first <= sign <= last for sign in far)
    # Of two that share their words the one that is more common stands first.
    code = max(hits, key=lambda code: (hits[code], -list(_tongues()["unread"]).index(code)), default="")
    return code if hits[code] >= max(_FEWEST, _WORDS * len(words)) else ""


def tongue(code: str, among: str) -> str:
    """Return what a language is called in another one, C{""} where it has no name there."""
    return str(_tongues()["names"].get(among, {}).get(code, ""))


@cache
def _in_languages(name: str) -> tuple[dict[str, list[str]], ...]:
    return tuple(filter(None, [read_optional(code, name) for code in LANGUAGES]))


def words_in(name: str, field: str) -> tuple[str, ...]:
    """
    Return the words that a field of a data file has in any language, English first, each once.

    @raise KeyError: no language has that field.
    """
    known = [data[field] for data in _in_languages(name) if field in data]
    if not known:
        raise KeyError(field)
    return tuple(dict.fromkeys(word for words in known for word in words))
