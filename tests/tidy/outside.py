"""
Who reaches outside: private names of Twisted, the disk, the network, the environment,
the wall clock; and who hides what it knows.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.tidy.source import House, Module, dotted, under

#: Who may touch the disk.
DISK = frozenset({
    "mailstore", "database", "daemon", "workers", "cli", "testing", "scenario", "config", "tap", "durable"})

#: Who may dial out, or make a socket.
DIALS = frozenset({
    "outbound", "database", "daemon", "workers", "cli", "client", "mailstore.writer", "adapters.agentdojo_mail"})

#: Who may read the environment.
ENVIRONMENT = frozenset({"adapters", "cli", "daemon", "workers", "tap"})

#: Who may read the wall clock and draw from global generators: what wires everything together, and the command line.
CLOCK = frozenset({"cli", "daemon", "tap", "__main__"})

_DISK_MODULES = frozenset({"tempfile", "sqlite3", "shutil", "fcntl", "mmap", "glob", "twisted.python.filepath"})
_DISK_OS = frozenset(f"os.{name}" for name in (
    "open", "rename", "renames", "replace", "link", "symlink", "readlink", "unlink", "remove", "mkdir", "makedirs",
    "rmdir", "removedirs", "scandir", "listdir", "walk", "fwalk", "stat", "lstat", "fstat", "utime", "truncate",
    "ftruncate", "fsync", "fdatasync", "sync", "statvfs", "fstatvfs", "posix_fallocate", "posix_fadvise", "chmod",
    "chown", "access", "pread", "preadv", "pwrite", "pwritev", "sendfile", "copy_file_range",
    "path.exists", "path.isfile", "path.isdir", "path.getsize", "path.getmtime", "path.realpath",
))
_DISK_METHODS = frozenset({
    "write_text", "write_bytes", "read_text", "read_bytes", "iterdir", "rglob", "hardlink_to", "symlink_to",
})
_DIAL_MODULES = frozenset({
    "socket", "treq", "http.client", "urllib.request", "smtplib", "imaplib", "ftplib", "twisted.web.client",
    "twisted.names", "twisted.mail.smtp.sendmail", "twisted.internet.endpoints.clientFromString",
    "twisted.internet.endpoints.connectProtocol", "twisted.internet.endpoints.wrapClientTLS",
    "twisted.internet.endpoints.HostnameEndpoint", "twisted.internet.endpoints.TCP4ClientEndpoint",
    "twisted.internet.endpoints.TCP6ClientEndpoint", "twisted.internet.endpoints.SSL4ClientEndpoint",
    "twisted.internet.endpoints.UNIXClientEndpoint",
})
_DIAL_METHODS = frozenset({"connectTCP", "connectSSL", "connectUNIX", "create_connection"})
_CLOCK = frozenset({
    "time.time", "time.time_ns", "datetime.now", "datetime.utcnow", "datetime.today", "date.today", "random.random",
    "uuid.uuid4",
})
_ENVIRONMENT = frozenset({"os.environ", "os.environb", "os.getenv", "os.getenvb"})

#: What nobody knows as C{Any}: the parts of the house that are handed on.
KNOWN = frozenset({
    "universe", "universes", "login", "store", "mailstore", "database", "server", "roster", "session", "connection",
    "protocol", "user", "scheduler", "clock", "folder", "services", "journal", "imap",
})


def called(module: Module) -> Iterator[str]:
    """Yield the last name of each method or function called; of a function as C{name()}."""
    for node in module.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, (ast.Attribute, ast.Name)):
            yield node.func.attr if isinstance(node.func, ast.Attribute) else f"{node.func.id}()"


def touches_disk(module: Module) -> bool:
    """Tell whether a module opens, reads or changes files."""
    return (any(name in _DISK_OS or under(name, _DISK_MODULES) for name in module.uses)
            or not {*called(module)}.isdisjoint(_DISK_METHODS | {"open()"}))


def dials(module: Module) -> bool:
    """Tell whether a module makes sockets or connects to somebody."""
    return (any(under(name, _DIAL_MODULES) for name in module.uses)
            or not {*called(module)}.isdisjoint(_DIAL_METHODS))


def reads_environment(module: Module) -> bool:
    """Tell whether a module asks the environment."""
    return any(under(name, _ENVIRONMENT) for name in module.uses)


def disk(house: House) -> list[str]:
    """Only those of L{DISK} touch the disk."""
    return sorted(f"{module.name} touches the disk" for module in house
                  if not under(module.name, DISK) and touches_disk(module))


def network(house: House) -> list[str]:
    """Only those of L{DIALS} dial out."""
    return sorted(f"{module.name} dials out" for module in house if not under(module.name, DIALS) and dials(module))


def environment(house: House) -> list[str]:
    """Only those of L{ENVIRONMENT} read the environment."""
    return sorted(f"{module.name} reads the environment" for module in house
                  if not under(module.name, ENVIRONMENT) and reads_environment(module))


def wall_clock(house: House) -> list[str]:
    """Outside wiring and the command line nothing reads the wall clock or a global generator."""
    return sorted({f"{module.name} calls {one}" for module in house if not under(module.name, CLOCK)
                   for node in module.nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
                   for one in [".".join(dotted(node.func).split(".")[-2:])] if one in _CLOCK})


def private_twisted(house: House) -> list[str]:
    """Nobody uses what Twisted keeps to itself (Twisted's compatibility policy: a leading underscore)."""
    wrong = set()
    for module in house:
        for name in module.uses:
            parts = name.split(".")
            if parts[0] == "twisted" and any(one.startswith("_") and not one.endswith("__") for one in parts):
                wrong.add(f"{module.name} uses {name}")
    return sorted(wrong)


def _is_any(annotation: ast.expr | None) -> bool:
    """Tell whether an annotation is C{Any}, that or C{None}, or what gives it; written as text too."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        annotation = ast.parse(annotation.value, mode="eval").body
    if isinstance(annotation, ast.BinOp):
        return _is_any(annotation.left) or _is_any(annotation.right)
    if isinstance(annotation, ast.Subscript):
        kind, inner = ast.unparse(annotation.value), annotation.slice
        return (kind == "Optional" and _is_any(inner) or
                kind == "Callable" and isinstance(inner, ast.Tuple) and _is_any(inner.elts[-1]))
    return annotation is not None and ast.unparse(annotation) in ("Any", "typing.Any")


def hidden(house: House) -> list[str]:
    """Nobody takes a universe, a login or a store as C{Any}: types say who knows whom."""
    wrong = set()
    for module in house:
        todo: list[tuple[str, ast.AST]] = [("", module.tree)]
        while todo:
            where, node = todo.pop()
            if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                where = f"{where}.{node.name}"
            found = ""
            if isinstance(node, ast.arg) and _is_any(node.annotation):
                found = node.arg
            elif isinstance(node, ast.AnnAssign) and _is_any(node.annotation):
                found = ast.unparse(node.target)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and _is_any(node.returns):
                found = node.name
            if found.rpartition(".")[2].lstrip("_") in KNOWN:
                wrong.add(f"{module.name}{where} has {found} as Any")
            todo += [(where, one) for one in ast.iter_child_nodes(node)]
    return sorted(wrong)
