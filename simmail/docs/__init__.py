"""The documentation, in reStructuredText; C{architecture.rst} is where to begin."""
