"""
The documentation, in reStructuredText; C{index.rst} is where to begin, C{architecture.rst} for who changes the house.

Docstrings cite C{decisions.rst} by section and C{promises.rst} by number.
"""
