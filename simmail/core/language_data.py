"""
The data folders of the languages, C{simmail/core/templates/<code>}, written for translators.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

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


@cache
def _tongues() -> dict[str, dict[str, Any]]:
    return dict(read_yaml("tongues.yaml"))


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
