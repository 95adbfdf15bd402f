"""The floors of both packages, from bottom to top: a room imports only from the rooms below it.

A room is a sub-package, or one of the few modules at the top. A new room needs a line here.
"""

CORE = ("compiler", "model", "compact", "game", "planner", "hidden", "bulk", "search", "lockstep", "env", "abi")

PYTHON = (
    "errors",
    "_support",
    "game",
    "notation",
    "picture",
    "position",
    "match",
    "records",
    "hidden",
    "bots",
    "searches",
    "cluster",
    "bulk",
    "study",
    "env",
    "learned",
    "web",
    "archive",
    "dataset",
    "benchmark",
    "c",
    "precompile",
    "play",
    "cli",
    "__main__",
)
