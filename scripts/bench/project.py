"""
The project's own environment for drivers that are started by their path: importing this goes over to it.

Where there is none yet (scripts/run or scripts/test makes it) the Python that runs has to do.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

_VENV = Path(__file__).resolve().parents[2] / ".venv"


def go_over() -> None:
    """Begin again with the Python of the environment, unless this is it."""
    python = _VENV / "bin" / "python"
    if os.path.realpath(sys.prefix) != os.path.realpath(_VENV) and python.exists():
        os.execv(python, [str(python), *sys.argv])


go_over()
