"""
Nothing at module level is filled or changed: state belongs to objects, of which a test makes two.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.tidy.source import House, Module, dotted, full

#: What makes a container that can be changed.
MAKERS = frozenset({
    "list", "dict", "set", "bytearray", "defaultdict", "deque", "Counter", "OrderedDict", "ChainMap",
    "WeakKeyDictionary", "WeakValueDictionary", "WeakSet",
})

#: Annotations that promise not to change it.
CONSTANT = frozenset({
    "Final", "Mapping", "Sequence", "Set", "AbstractSet", "Collection", "Container", "Iterable", "frozenset", "tuple",
})

#: What changes a container.
CHANGES = frozenset({
    "append", "appendleft", "extend", "extendleft", "insert", "add", "update", "setdefault", "pop", "popleft",
    "popitem", "remove", "discard", "clear", "sort", "reverse", "intersection_update", "difference_update",
    "symmetric_difference_update", "subtract", "__setitem__", "__delitem__", "move_to_end", "rotate",
})

_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)


def assigned(module: Module) -> Iterator[tuple[str, ast.expr, ast.expr | None]]:
    """Yield each name given a value at module level, also under C{if} and C{try}: name, value, annotation."""
    todo: list[ast.stmt] = list(module.tree.body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Assign):
            yield from ((one.id, node.value, None) for one in node.targets if isinstance(one, ast.Name))
        elif isinstance(node, ast.AnnAssign) and node.value is not None and isinstance(node.target, ast.Name):
            yield node.target.id, node.value, node.annotation
        elif isinstance(node, (ast.If, ast.Try, ast.With, ast.For, ast.While)):
            todo += [one for one in ast.walk(node) if isinstance(one, (ast.Assign, ast.AnnAssign))]


def container(value: ast.expr) -> bool | None:
    """Tell whether a container that can be changed begins with something in it; C{None} of any other value."""
    if isinstance(value, _DISPLAYS):
        return not (isinstance(value, ast.Dict) and not value.keys or
                    isinstance(value, (ast.List, ast.Set)) and not value.elts)
    if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.BitOr, ast.Add, ast.Mult, ast.Sub)):
        sides = [side for side in map(container, (value.left, value.right)) if side is not None]
        return any(sides) if sides else None
    if isinstance(value, ast.Call) and dotted(value.func).rpartition(".")[2] in MAKERS:
        return bool(value.args or value.keywords) and dotted(value.func).rpartition(".")[2] != "defaultdict"
    return None


def promised(annotation: ast.expr | None) -> bool:
    """Tell whether an annotation is one of L{CONSTANT}."""
    plain = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    return plain is not None and dotted(plain).rpartition(".")[2] in CONSTANT


def changed(house: House) -> set[str]:
    """Return the dotted names at module level that some function changes, in their module or where imported."""
    found = set()
    for module in house:
        names = module.names
        own = {name for name, _, _ in assigned(module)}
        for node in module.nodes:
            subject: ast.AST | None = None
            if isinstance(node, ast.Global):
                found |= {f"{module.name}.{name}" for name in node.names}
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGES:
                subject = node.func.value
            elif isinstance(node, ast.Subscript) and isinstance(node.ctx, (ast.Store, ast.Del)):
                subject = node.value
            elif isinstance(node, ast.AugAssign):
                subject = node.target
            if subject is not None:
                name = dotted(subject)
                found.add(f"{module.name}.{name}" if name in own else full(subject, names).removeprefix("simmail."))
    return found


def mutable_state(house: House) -> list[str]:
    """
    Nothing at module level is changed, or made to be.

    A table is right that begins with something in it and is never changed: its name in capitals, or annotated as
    one of L{CONSTANT}.  A name that a function rebinds (C{global}) is state whatever it holds.
    """
    touched = changed(house)
    wrong = set()
    for module in house:
        for name, value, annotation in assigned(module):
            filled = container(value)
            constant = promised(annotation) or bool(filled) and name.isupper() or name == "__all__"
            if f"{module.name}.{name}" in touched or filled is not None and not constant:
                wrong.add(f"{module.name}.{name}")
    return sorted(wrong)
