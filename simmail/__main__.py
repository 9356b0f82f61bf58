"""Runs the command: C{python -m simmail}."""

from simmail.cli.command import main

if __name__ == "__main__":
    main()
