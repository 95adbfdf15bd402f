"""The floors of both packages, from bottom to top: a room imports only from the rooms below it.

A room is a package, or one of the few modules that stand at the top. A new room gets its line here.
"""

CORE = ("compiler", "model", "compact", "game", "planner", "hidden", "bulk", "lockstep", "abi")

PYTHON = (
    "errors",
    "_support",
    "game",
    "notation",
    "position",
    "match",
    "records",
    "hidden",
    "bulk",
    "study",
    "archive",
    "dataset",
    "benchmark",
    "c",
    "precompile",
    "cli",
    "__main__",
)
