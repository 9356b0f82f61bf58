"""
The source as the rules see it: modules by their dotted names below simmail, and what each imports.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import simmail

#: Where simmail lies.
ROOT = Path(simmail.__file__).parent


@dataclass(frozen=True)
class Module:
    """
    One module.

    @ivar name: dotted, below simmail, such as C{core.time.instant}; of a package that of its folder.
    @ivar package: whether it is the C{__init__} of a package.
    """

    name: str
    text: str
    package: bool = False

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree."""
        return ast.parse(self.text, self.name)

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Each node of the tree, whatever it lies in."""
        return tuple(ast.walk(self.tree))

    @cached_property
    def imports(self) -> tuple[tuple[str, bool], ...]:
        """
        Each name that is imported, dotted in full, and whether that happens when the module itself is imported.

        C{from a.b import c} gives C{a.b.c} only: C{c} may be a module of a package or a name in one.
        """
        found: list[tuple[str, bool]] = []
        body = set(map(id, self.tree.body))
        for node in self.nodes:
            if isinstance(node, ast.Import):
                found += [(alias.name, id(node) in body) for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                base = self._from(node)
                found += [(f"{base}.{alias.name}", id(node) in body) for alias in node.names]
        return tuple(found)

    @cached_property
    def names(self) -> Mapping[str, str]:
        """What each imported name stands for, dotted in full: C{os} -> C{os}, C{_open} -> C{os.open}."""
        names = {}
        for node in self.nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    first = alias.name if alias.asname else alias.name.partition(".")[0]
                    names[alias.asname or first] = first
            elif isinstance(node, ast.ImportFrom):
                base = self._from(node)
                names.update({alias.asname or alias.name: f"{base}.{alias.name}" for alias in node.names})
        return names

    @cached_property
    def uses(self) -> frozenset[str]:
        """Each name of others that it imports or uses, dotted in full."""
        return frozenset(name for name, _ in self.imports) | {
            full(node, self.names) for node in self.nodes if isinstance(node, (ast.Attribute, ast.Name))}

    def _from(self, node: ast.ImportFrom) -> str:
        """Return what an import takes its names from, dotted in full."""
        if not node.level:
            return node.module or ""
        parts = ["simmail", *filter(None, self.folder.split("."))]
        return ".".join([*parts[:len(parts) - node.level + 1], *filter(None, [node.module])])

    @cached_property
    def folder(self) -> str:
        """The package it lies in, C{""} for the top."""
        return self.name if self.package else self.name.rpartition(".")[0]


class House:
    """
    All modules.

    @ivar modules: each by its name.
    """

    def __init__(self, modules: Mapping[str, Module]) -> None:
        self.modules = modules

    @classmethod
    def read(cls, root: Path = ROOT) -> House:
        """Read the modules below a folder."""
        modules = {}
        for path in sorted(root.rglob("*.py")):
            package = path.name == "__init__.py"
            name = ".".join((path.parent if package else path.with_suffix("")).relative_to(root).parts)
            modules[name] = Module(name, path.read_text(encoding="utf-8"), package)
        return cls(modules)

    @classmethod
    def of(cls, texts: Mapping[str, str]) -> House:
        """Build one from texts by module name; what others lie in is a package."""
        packages = {name.rpartition(".")[0] for name in texts} - set(texts)
        return cls({name: Module(name, texts.get(name, ""), any(one.startswith(name + ".") for one in texts))
                    for name in sorted(packages | set(texts))})

    def __iter__(self) -> Iterator[Module]:
        return iter(self.modules.values())

    def target(self, dotted: str) -> str | None:
        """Return the module of simmail that a full dotted name is or lies in, C{None} for others' modules."""
        if dotted != "simmail" and not dotted.startswith("simmail."):
            return None
        name = dotted.partition(".")[2]
        while name and name not in self.modules:
            name = name.rpartition(".")[0]
        return name

    @cached_property
    def edges(self) -> Mapping[str, frozenset[str]]:
        """What each module imports of simmail, for types only and inside functions too; C{""} (the top) left out."""
        return {module.name: frozenset(self.target(dotted) or "" for dotted, _ in module.imports) - {"", module.name}
                for module in self}


def dotted(node: ast.AST) -> str:
    """Return C{a.b.c} of names and attributes, C{""} of anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        owner = dotted(node.value)
        return owner and f"{owner}.{node.attr}"
    return ""


def full(node: ast.AST, names: Mapping[str, str]) -> str:
    """Return a dotted expression with its first name as it was imported, C{""} if that was not imported."""
    first, _, rest = dotted(node).partition(".")
    return ".".join(filter(None, (names.get(first, ""), rest))) if first in names else ""


def under(name: str, prefixes: frozenset[str]) -> bool:
    """Tell whether a module is one of these or lies in one."""
    return any(name == one or name.startswith(one + ".") for one in prefixes)
