"""`BotProcess`: one child process and the lines that go to and fro."""

from __future__ import annotations

import atexit
import contextlib
import os
import select
import shlex
import signal
import subprocess
import threading
import time
from collections import defaultdict

from mextrain.bots.limits import END_SECONDS, MAX_LINE, START_SECONDS
from mextrain.errors import PolicyError, one_line, shown

PROTOCOL = "mextrain-bot 1"
"""The first line of a host."""


class BotFault(Exception):
    """A bot did not answer, or not as it must."""


class BotProcess:
    """A bot that runs. `name`: what it calls itself. Raises `PolicyError` if it cannot be started."""

    def __init__(self, command: str) -> None:
        self.command = command
        self.heard = ""
        self._out: list[str] = [PROTOCOL]
        self._in = b""
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise PolicyError(f"the command of the bot {shown(command)} cannot be read: {error}") from None
        if os.name != "posix":
            raise PolicyError("bots as child processes need a POSIX system, such as Linux, macOS or WSL")
        try:
            self._process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, start_new_session=True
            )
        except PermissionError:
            hint = "run chmod +x, or name what runs it, as in cmd:python bot.py"
            raise PolicyError(f"the bot {shown(command)} cannot be started: it is not executable; {hint}") from None
        except (OSError, ValueError) as error:
            told = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise PolicyError(f"the bot {shown(command)} cannot be started: {one_line(told)}") from None
        assert self._process.stdin is not None and self._process.stdout is not None  # noqa: PT018, both are pipes
        self._stdin, self._stdout = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._stdin, False)
        try:
            words = self.ask(START_SECONDS, ("ready",)).split()
        except BotFault as fault:
            self.kill()
            raise PolicyError(f"the bot {shown(command)} is not ready: {fault}") from None
        self.name = " ".join(words[2:]) if words[1:2] == ["name"] else command

    def tell(self, line: str) -> None:
        """Add a line to what the bot is told with the next question."""
        self._out.append(line)

    def ask(self, seconds: float, first_words: tuple[str, ...]) -> str:
        """Send what was told, and return the next line that begins with one of these words. Raises `BotFault`."""
        end = time.monotonic() + seconds
        self._send(end)
        while True:
            line = self._line(end, seconds)
            self.heard = line
            if line.partition(" ")[0] in first_words:
                return line

    def quit(self) -> None:
        """End the bot: ask it to, then kill what is left of its process group."""
        self.tell("quit")
        with contextlib.suppress(BotFault):
            self._send(time.monotonic() + END_SECONDS)
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(END_SECONDS)
        self.kill()

    def kill(self) -> None:
        """Kill the bot and everything that it has started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _send(self, end: float) -> None:
        data = ("\n".join(self._out) + "\n").encode()
        self._out.clear()
        while data:
            try:
                data = data[os.write(self._stdin, data) :]
            except BlockingIOError:
                if not select.select([], [self._stdin], [], max(0.0, end - time.monotonic()))[1]:
                    raise BotFault("it does not read its input") from None
            except OSError:
                raise BotFault(self._ended()) from None

    def _line(self, end: float, seconds: float) -> str:
        while b"\n" not in self._in:
            if len(self._in) > MAX_LINE:
                raise BotFault(f"it wrote a line of more than {MAX_LINE:,} bytes")
            left = end - time.monotonic()
            if left <= 0 or not select.select([self._stdout], [], [], left)[0]:
                raise BotFault(
                    f"it gave no answer within {1000 * seconds:,.0f} ms (a bot must flush its output after every line)"
                )
            data = os.read(self._stdout, MAX_LINE)
            if not data:
                raise BotFault(self._ended())
            self._in += data
        line, _, self._in = self._in.partition(b"\n")
        return line.decode(errors="replace").rstrip("\r")

    def _ended(self) -> str:
        try:
            code = self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            return "it closed its output"
        return f"it ended with exit code {code}" if code >= 0 else f"it was ended by signal {-code}"


class _Pool:
    """Bots that wait for their next round; all are ended when this process ends."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: defaultdict[str, list[BotProcess]] = defaultdict(list)

    def take(self, command: str) -> BotProcess:
        with self._lock:
            if self._idle[command]:
                return self._idle[command].pop()
        return BotProcess(command)

    def give_back(self, bot: BotProcess) -> None:
        with self._lock:
            self._idle[bot.command].append(bot)

    def name(self, command: str) -> str:
        """Return what the bot calls itself; raises `PolicyError` if it cannot be started."""
        bot = self.take(command)
        self.give_back(bot)
        return bot.name

    def end(self) -> None:
        with self._lock:
            bots = [bot for each in self._idle.values() for bot in each]
            self._idle.clear()
        for bot in bots:
            bot.quit()


POOL = _Pool()
"""The bots of this process that do not play now: starting one takes longer than many decisions."""

atexit.register(POOL.end)
