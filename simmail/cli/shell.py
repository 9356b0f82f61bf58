"""
What shells and C{man} know of the command, written from its parser: C{simmail completion} and C{simmail manual}.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from typing import NamedTuple

# Both walk from word to word as long as one leads further, and complete what can stand where that ends.
_BASH = """\
_simmail() {{
  local word place=""
  for word in "${{COMP_WORDS[@]:1:$((COMP_CWORD - 1))}}"; do
    case "$place $word" in {places}) place="$place $word" ;; esac
  done
  case "$place" in
{words}
  esac
  COMPREPLY=($(compgen -W "$*" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o bashdefault -o default -F _simmail simmail
"""
_FISH = """\
function __simmail_at
  set -l place ""
  for word in (commandline -opc)[2..-1]
    switch "$place $word"
      case {places}
        set place "$place $word"
    end
  end
  test "$place" = "$argv[1]"
end
{words}
"""


class Subcommand(NamedTuple):
    """
    A command within the command, or the command itself.

    @ivar words: on the way to it; help: of it; next: what may come next, with its help.
    """

    words: tuple[str, ...]
    help: str
    parser: argparse.ArgumentParser
    next: dict[str, str]

    @property
    def options(self) -> list[argparse.Action]:
        """Return its options that are told of."""
        return [one for one in self.parser._actions if one.option_strings and one.help != argparse.SUPPRESS]

    @property
    def at(self) -> str:
        """Return the words as the scripts keep them, each behind a space."""
        return "".join(f" {one}" for one in self.words)


def subcommands(parser: argparse.ArgumentParser, words: tuple[str, ...] = (), help: str = "") -> Iterator[Subcommand]:
    """Return a command with all that stands below it, in the order of the parser."""
    known = {name: action.help or "" for action in parser._actions if not action.option_strings
             for name in action.choices or ()}
    below = [one for one in parser._actions if isinstance(one, argparse._SubParsersAction)]
    known.update({one.dest: one.help or "" for group in below for one in group._choices_actions})
    yield Subcommand(words, help, parser, known)
    for group in below:
        for name, inner in group.choices.items():
            yield from subcommands(inner, (*words, name), known[name])


def completion(parser: argparse.ArgumentParser, shell: str) -> str:
    """Return a script with which C{bash}, C{zsh} or C{fish} completes commands and options."""
    found = list(subcommands(parser))
    if shell == "fish":
        lines = [f"complete -c simmail -n '__simmail_at \"{one.at}\"' {rest}" for one in found for rest in (
            *[f"-f -a {name} -d {_quoted(help)}" for name, help in one.next.items()],
            *[f"-l {option[2:]} {'-r -F ' if action.nargs is None else ''}-d {_quoted(action.help or '')}"
              for action in one.options for option in action.option_strings if option.startswith("--")])]
        return _FISH.format(places=" ".join(f"'{one.at}'" for one in found if one.words), words="\n".join(lines))
    words = [f'    "{one.at}") set -- {" ".join([*one.next, *_names(one)])} ;;' for one in found]
    script = _BASH.format(places="|".join(f'"{one.at}"' for one in found if one.words), words="\n".join(words))
    return f"autoload -Uz compinit bashcompinit\ncompinit\nbashcompinit\n{script}" if shell == "zsh" else script


def _names(one: Subcommand) -> list[str]:
    return [option for action in one.options for option in action.option_strings if option.startswith("--")]


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def manual(parser: argparse.ArgumentParser) -> str:
    """Return the page of C{man}."""
    lines = [".TH SIMMAIL 1", ".SH NAME", f"simmail \\- {_roff(parser.description or '')}", ".SH SYNOPSIS",
             ".B simmail", ".RI [ options ] \" COMMAND\" \" \" ...", ".SH COMMANDS"]
    for one in subcommands(parser):
        if not one.parser.get_default("do"):
            continue
        usage = ["simmail", *one.words, "[options]", *[
            f"[{_said(action)}]" if action.nargs == "?" else _said(action)
            for action in one.parser._actions if not action.option_strings]]
        lines += [".SS " + _roff(" ".join(one.words)), _roff(one.parser.description or one.help), ".PP",
                  _roff(" ".join(usage))]
        for action in one.parser._actions:
            if action.help != argparse.SUPPRESS and action.dest != "help" and (action.help or action.option_strings):
                lines += [".TP", f".B {_roff(_said(action))}", _roff(action.help or "") or "\\&"]
    return "\n".join([*lines, ".SH SEE ALSO", "twistd(1)", ""])


def _said(action: argparse.Action) -> str:
    named = action.dest.upper() if action.option_strings else action.dest
    value = "" if action.nargs == 0 else action.metavar if isinstance(action.metavar, str) else named
    return " ".join([", ".join(action.option_strings), value]).strip()


def _roff(text: str) -> str:
    # Of what begins a line, a dot and a quote would be orders; a hyphen is to be copied as one.
    text = " ".join(text.replace("%%", "%").split()).replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text)


def add_shell(commands: argparse._SubParsersAction[argparse.ArgumentParser], whole: argparse.ArgumentParser) -> None:
    """Put C{completion} and C{manual} below the commands of C{whole}, which they are written from."""
    shells = commands.add_parser("completion", help="write a script that completes commands", description=(
        "Write a script for a shell: eval \"$(simmail completion bash)\" in ~/.bashrc, the same with zsh in ~/.zshrc, "
        "simmail completion fish | source in config.fish."))
    shells.add_argument("shell", choices=("bash", "zsh", "fish"))
    shells.set_defaults(do=lambda parsed: print(completion(whole, parsed.shell), end=""))
    page = commands.add_parser("manual", help="write the page of man, to be read with man -l")
    page.set_defaults(do=lambda parsed: print(manual(whole), end=""))
