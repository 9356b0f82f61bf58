"""
How much a folder, a class and a name hold.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping

from tests.tidy.source import House, full

#: The most modules in a folder, its C{__init__} not counted.
MOST_MODULES = 16

#: Folders with a file for each heading of a contract: as many as it has.
BY_HEADING = frozenset({"rest.api"})

#: The most lines of a class, those of its bases in simmail counted too.
MOST_LINES = 500


def folders(house: House) -> Mapping[str, int]:
    """Return how many modules lie in each folder; C{""} is the top."""
    return Counter(module.folder for module in house if not module.package)


def large_folders(house: House) -> list[str]:
    """A folder holds no more modules than an eye takes in."""
    return sorted(f"{folder or 'the top'} holds more than {MOST_MODULES} modules"
                  for folder, count in folders(house).items() if count > MOST_MODULES and folder not in BY_HEADING)


def classes(house: House) -> Mapping[str, int]:
    """Return the lines of each class at module level with those of its bases in simmail, by its dotted name."""
    own: dict[str, int] = {}
    bases: dict[str, set[str]] = {}
    for module in house:
        names = module.names
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef):
                name = f"{module.name}.{node.name}"
                first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
                own[name] = (node.end_lineno or node.lineno) - first + 1
                bases[name] = set()
                for base in node.bases:
                    plain = base.value if isinstance(base, ast.Subscript) else base
                    known = full(plain, names).removeprefix("simmail.")
                    bases[name].add(known or f"{module.name}.{ast.unparse(plain)}")

    def family(name: str) -> set[str]:
        return {name}.union(*(family(base) for base in bases[name] if base in own and base != name))

    return {name: sum(own[one] for one in family(name)) for name in own}


def large_classes(house: House) -> list[str]:
    """A class is not cut into bases to fit a limit."""
    return sorted(f"{name} has more than {MOST_LINES} lines with its bases"
                  for name, lines in classes(house).items() if lines > MOST_LINES)


def homonyms(house: House) -> list[str]:
    """A public class name means one thing."""
    owners: dict[str, list[str]] = {}
    for module in house:
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                owners.setdefault(node.name, []).append(module.name)
    return sorted(f"{name} is a class of {', '.join(sorted(modules))}"
                  for name, modules in owners.items() if len(modules) > 1)
