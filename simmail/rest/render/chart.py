"""
Charts as inline SVG, which scale without a script; what they are called stands in the page around them.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from msgspec import Struct

#: How wide a bar is of the room it has.
_WIDTH = 0.78


class Bar(Struct, frozen=True):
    """
    One bar.

    @ivar parts: class and height of what it is made of, from the ground up.
    @ivar text: what it says to whom points at it.
    """

    parts: tuple[tuple[str, int], ...]
    text: str


def scale_of(most: int) -> int:
    """Return an even round number that is not less than C{most}: where the scale ends."""
    step = 1
    while True:
        for factor in (2, 4, 6, 10):
            if factor * step >= most:
                return factor * step
        step *= 10


def bars(items: Sequence[Bar], top: int, label: str) -> str:
    """Return bars side by side, of a height of C{top} at the most, as one picture called C{label}."""
    drawn = []
    for n, item in enumerate(items):
        floor = float(top)
        drawn.append(f'<g><title>{escape(item.text)}</title><rect class="hover" x="{n}" y="0" width="1" '
                     f'height="{top}"/>')
        for name, height in item.parts:
            if height > 0:
                floor -= height
                drawn.append(f'<rect class="{name}" x="{n + (1 - _WIDTH) / 2:.2f}" y="{floor:g}" '
                             f'width="{_WIDTH:g}" height="{height}"/>')
        drawn.append("</g>")
    return (f'<svg role="img" aria-label="{escape(label)}" viewBox="0 0 {max(1, len(items))} {top}" '
            f'preserveAspectRatio="none">{"".join(drawn)}</svg>')


def meter(share: float) -> str:
    """Return a bar that is filled by C{share} (0 to 1); the figure stands beside it, so it is not read out."""
    width = round(100 * min(max(share, 0.0), 1.0), 1)
    filled = f'<rect class="replied" width="{width:g}" height="6"/>' if width else ""
    return ('<svg aria-hidden="true" viewBox="0 0 100 6" preserveAspectRatio="none"><rect class="track" width="100" '
            f'height="6"/>{filled}</svg>')


def key(name: str) -> str:
    """Return the mark of a legend."""
    return f'<svg aria-hidden="true" viewBox="0 0 12 12"><rect class="{name}" width="12" height="12" rx="2"/></svg>'
