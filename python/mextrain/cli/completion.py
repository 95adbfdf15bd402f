"""print a script that completes commands and flags in a shell"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NamedTuple

from mextrain.cli.policies import BUILT_IN

EXAMPLES = (
    "mextrain completion bash > ~/.local/share/bash-completion/completions/mextrain",
    "mextrain completion zsh > ~/.zfunc/_mextrain    # with ~/.zfunc in fpath",
    "mextrain completion fish > ~/.config/fish/completions/mextrain.fish",
)


class Flag(NamedTuple):
    """A flag of a command: its spellings, its help, whether a value follows, and the values that it can have."""

    names: tuple[str, ...]
    help: str
    has_value: bool
    values: tuple[str, ...]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the argument of `mextrain completion`."""
    parser.add_argument("shell", choices=tuple(SHELLS), metavar="SHELL", help=", ".join(SHELLS))


def run(args: argparse.Namespace) -> int:
    """Print the script, made from the parsers of all commands."""
    from mextrain.cli import build_parser

    parser = build_parser()
    flags = {name: _flags(command) for name, command in parser.commands.items()}
    summaries = {name: (command.description or "").rstrip(".") for name, command in parser.commands.items()}
    print(SHELLS[args.shell](flags, summaries))
    return 0


def _flags(parser: argparse.ArgumentParser) -> list[Flag]:
    found = []
    for action in parser._actions:
        if action.option_strings:
            values = action.choices or _values(action.option_strings)
            told = " ".join((action.help or "").replace("%%", "%").split())
            found.append(Flag(tuple(action.option_strings), told, action.nargs != 0, tuple(map(str, values))))
    return found


def _values(names: Sequence[str]) -> list[str]:
    """Return the values that are completed for a flag without choices."""
    if "--policy" in names:
        return list(BUILT_IN)
    if "--rules" in names:
        from mextrain.game.options import PRESETS

        return list(PRESETS)
    if "--option" in names or "--with" in names:
        from mextrain.game.options import OPTIONS, PRESETS

        fixed = ((name, value) for name, option in OPTIONS.items() for value in option.lines)
        settings = [f"{name}={value}" for name, value in fixed if value.replace("_", "").isalnum()]
        return settings if "--option" in names else [*PRESETS, *settings]
    return []


def _bash(flags: dict[str, list[Flag]], summaries: dict[str, str]) -> str:
    commands = " ".join(flags)
    lines = [
        "# bash completion for mextrain",
        "_mextrain() {",
        "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}",
        "    local words= skip=0",
        # Bash splits words at '=', which occurs in --option KEY=VALUE.
        '    if [[ $before == "=" ]]; then before=${COMP_WORDS[COMP_CWORD-3]}; '
        "word=${COMP_WORDS[COMP_CWORD-2]}=$word; skip=1; fi",
        '    if [[ $word == "=" ]]; then',
        "        before=${COMP_WORDS[COMP_CWORD-2]}; word=${COMP_WORDS[COMP_CWORD-1]}=; skip=1",
        "    fi",
        "    if (( COMP_CWORD == 1 )); then",
        f'        COMPREPLY=($(compgen -W "{commands} --help --version" -- "$word")); return',
        "    fi",
        "    case $command:$before in",
    ]
    for name, each in flags.items():
        for flag in each:
            pattern = "|".join(f"{name}:{spelling}" for spelling in flag.names)
            if flag.values:
                lines.append(f'        {pattern}) words="{" ".join(flag.values)}" ;;')
            elif flag.has_value:
                lines.append(f'        {pattern}) COMPREPLY=($(compgen -f -- "$word")); return ;;')
    lines.append("        *) case $command in")
    for name, each in flags.items():
        spelled = [spelling for flag in each for spelling in flag.names]
        spelled += {"help": tuple(flags), "completion": tuple(SHELLS)}.get(name, ())
        lines.append(f'            {name}) words="{" ".join(spelled)}" ;;')
    lines += [
        "        esac ;;",
        "    esac",
        '    COMPREPLY=($(compgen -W "$words" -- "$word"))',
        '    if (( skip )); then COMPREPLY=("${COMPREPLY[@]#*=}"); fi',
        "    if [[ -z $words || ( ${#COMPREPLY[@]} == 0 && $word != -* ) ]]; then",
        '        COMPREPLY=($(compgen -f -- "$word"))',
        "    fi",
        "}",
        "complete -o filenames -F _mextrain mextrain",
    ]
    return "\n".join(lines)


def _zsh(flags: dict[str, list[Flag]], summaries: dict[str, str]) -> str:
    def quoted(text: str) -> str:
        return text.replace("'", "'\\''").replace(":", "\\:").replace("[", "\\[").replace("]", "\\]")

    lines = [
        "#compdef mextrain",
        "# zsh completion for mextrain",
        "_mextrain() {",
        "    local -a commands",
        "    commands=(" + " ".join(f"'{name}:{quoted(text)}'" for name, text in summaries.items()) + ")",
        "    if (( CURRENT == 2 )); then _describe command commands; return; fi",
        "    case $words[2] in",
    ]
    for name, each in flags.items():
        lines.append(f"        {name}) shift words; (( CURRENT-- )); _arguments \\")
        for flag in each:
            for spelling in flag.names:
                values = f"({' '.join(flag.values)})" if flag.values else "_files"
                value = f":value:{values}" if flag.has_value else ""
                star = "*" if "--option" in flag.names else ""
                lines.append(f"            '{star}{spelling}[{quoted(flag.help)}]{value}' \\")
        what = {"help": f":command:({' '.join(flags)})", "completion": f":shell:({' '.join(SHELLS)})"}
        lines.append(f"            '*{what.get(name, ':file:_files')}' ;;")
    called = '[ "$funcstack[1]" = "_mextrain" ]'
    lines += ["    esac", "}", f'if {called}; then _mextrain "$@"; else compdef _mextrain mextrain; fi']
    return "\n".join(lines)


def _fish(flags: dict[str, list[Flag]], summaries: dict[str, str]) -> str:
    def quoted(text: str) -> str:
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    lines = ["# fish completion for mextrain", "complete -c mextrain -n __fish_use_subcommand -f"]
    for name, text in summaries.items():
        lines.append(f"complete -c mextrain -n __fish_use_subcommand -a {name} -d {quoted(text)}")
    for name, each in flags.items():
        seen = f"-n '__fish_seen_subcommand_from {name}'"
        for flag in each:
            spelled = " ".join(f"-l {one[2:]}" if one.startswith("--") else f"-s {one[1:]}" for one in flag.names)
            value = f" -x -a {quoted(' '.join(flag.values))}" if flag.values else " -r" if flag.has_value else ""
            lines.append(f"complete -c mextrain {seen} {spelled}{value} -d {quoted(flag.help)}")
    for name, values in (("help", tuple(flags)), ("completion", tuple(SHELLS))):
        lines.append(f"complete -c mextrain -n '__fish_seen_subcommand_from {name}' -f -a {quoted(' '.join(values))}")
    return "\n".join(lines)


SHELLS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
"""The shells, and what makes their scripts."""
