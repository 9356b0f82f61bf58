"""
What timing tests share.

Bounds in them are many times what is needed: they catch quadratic work, not
slow machines.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def seconds(call: Callable[..., Any], *args: Any) -> float:
    """Processor seconds that a call took."""
    started = time.process_time()
    call(*args)
    return time.process_time() - started
