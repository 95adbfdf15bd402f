"""Reads answers and prints the transcript: at a terminal, in a pipe, or in a test."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, TextIO

from mextrain.play.colours import coloured


class Keyboard(NamedTuple):
    """Where answers come from and where text goes. `interactive`: whether a person at a terminal reads it."""

    source: TextIO
    target: TextIO
    colours: bool = False
    interactive: bool = False

    def tell(self, lines: str | Iterable[str]) -> None:
        """Print lines."""
        for line in [lines] if isinstance(lines, str) else lines:
            print(coloured(line) if self.colours else line, file=self.target)
        self.target.flush()

    def ask(self, prompt: str) -> str:
        """Print a prompt and return the next line, without blanks around it. Raises `EOFError` at the end of input."""
        read: Callable[[str], str] | None = input if self.interactive else None
        if read is not None:
            # At a terminal the line can be edited.
            return read(prompt).strip()
        print(prompt, end="", file=self.target, flush=True)
        line = self.source.readline()
        # A transcript reads as if somebody had typed at a terminal.
        self.tell(line.strip())
        if not line:
            raise EOFError
        return line.strip()

    def clear(self) -> None:
        """Clear the screen of a terminal, so that the next person cannot read the last one's hand."""
        if self.interactive:
            print("\x1b[2J\x1b[3J\x1b[H", end="", file=self.target, flush=True)
