"""
What SpamAssassin said of the mails of L{junkmail}, as C{scripts/bench/engines --write} kept it.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import yaml

_KEPT = Path(__file__).with_name("spamassassin.yaml")


def digest(octets: bytes) -> str:
    """What tells one mail from another."""
    return sha256(octets).hexdigest()[:12]


def scores() -> dict[str, tuple[float, str]]:
    """Return the score and the digest of each mail, by its name."""
    kept = yaml.safe_load(_KEPT.read_text("utf-8"))["mails"]
    return {name: (float(one[0]), str(one[1])) for name, one in kept.items()}


def write_scores(by: str, found: dict[str, tuple[float, str]]) -> None:
    """Keep scores, and whose they are."""
    lines = [f'"{name}": [{score}, "{mark}"]' for name, (score, mark) in found.items()]
    _KEPT.write_text(
        f"# Written by scripts/bench/engines --write: score and digest of each mail.\nby: {by}, local tests, no Bayes\n"
        "mails:\n" + "".join(f"  {line}\n" for line in lines), "utf-8")
