"""One step of 32 games at once: the part of the kernel that ``Turn`` (in the set super ``WildTurn``) emits."""

from typing import Any

from mextrain_core.compiler.vectors import emitted
from mextrain_core.lockstep.flags import Flags
from mextrain_core.lockstep.turn import Turn
from mextrain_core.lockstep.wild import WildTurn


def write_step(w: Any, flags: int, argument: Any) -> Any:
    """Emit a step of the 32 games at the writer's base; see ``Turn.settle`` for the result.

    ``argument``: ``policy.argument`` | row of the log, counted from the base, << ``policy.LOG_SHIFT``.
    """
    rules = Flags.unpack(flags)
    return (WildTurn if rules.wild else Turn)(w, rules, argument).write()


step = emitted(write_step)
