"""The tests: they mirror C{simmail/}."""
