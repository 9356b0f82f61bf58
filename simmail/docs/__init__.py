"""
The documentation, in reStructuredText; C{architecture.rst} is where to begin.

Docstrings cite C{decisions.rst} by section and C{promises.rst} by number.
"""
