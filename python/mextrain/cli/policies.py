"""The policies that a command line can name, with a line each, for the help. No policy is loaded for it."""

from __future__ import annotations

BUILT_IN = {
    "random": "any legal move, all equally likely",
    "heaviest": "the play that sheds the most points",
    "cautious": "sheds points, closes its own train, avoids doubles that it cannot cover",
    "planner": "keeps its longest train together and plays the rest elsewhere",
    "counting": "counts how much of its hand can still be laid; strong and fast",
}
"""The built-in policies."""

OWN = {
    "improve:N": "searches with N play-outs a decision, from the move of counting on; also flat:N, tree:N",
    "module:function": "a policy of your own that Python can import (docs/policies.md)",
    "cmd:COMMAND": "a bot of your own in any language, as a child process (docs/bots.md)",
}
"""Other forms."""


def policies_text() -> str:
    """Return the list for the help of a command."""
    rows = {**BUILT_IN, **OWN}
    width = max(map(len, rows))
    return "\n".join(["policies:", *(f"  {name:<{width}}  {meaning}" for name, meaning in rows.items())])
