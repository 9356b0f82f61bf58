"""
The scenarios that come with the distribution, and those of one's own, by name.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from simmail.core.rules.yaml_text import LARGEST
from simmail.errors import Invalid
from simmail.scenario.script import ScenarioFile, script_of

_SHIPPED = Path(__file__).parent / "scenarios"


def shipped() -> Iterator[ScenarioFile]:
    """Yield all that are shipped, by name."""
    for path in sorted(_SHIPPED.glob("*.yaml")):
        yield script_of(path.read_bytes(), path.name)


def read(name: str) -> tuple[str, bytes]:
    """
    Return the path and the octets of a file, or of what is shipped under a name.

    @raise Invalid: there is no such file.
    """
    path = Path(name)
    if not path.suffix and "/" not in name:
        path = _SHIPPED / f"{name}.yaml"
        if not path.is_file():
            raise Invalid("", f"{name} is none of {', '.join(one.stem for one in sorted(_SHIPPED.glob('*.yaml')))}")
    try:
        with open(path, "rb") as file:
            return name, file.read(LARGEST + 1)
    except OSError as error:
        raise Invalid(name, error.strerror or "cannot be read") from None


def load(name: str) -> ScenarioFile:
    """Return the scenario of a file or a name.  @raise Invalid: there is none; what is wrong with it, and where."""
    path, octets = read(name)
    return script_of(octets, path)
