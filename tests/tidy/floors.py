"""The floors of both packages: a module imports from lower floors only. A new module gets its line here."""

CORE = (
    ("limits", "_jit", "_lanes"),
    ("bits", "rng", "_frozen"),
    ("tiles",),
    ("rules", "moves", "_compact"),
    ("state", "compact"),
    ("movegen", "deal", "score", "trace"),
    ("apply",),
    ("invariants", "view", "observe", "determinize", "planner"),
    ("policies",),
    ("rollout", "perft"),
    ("search", "batch", "lockstep"),
    ("abi",),
)

PYTHON = (
    ("errors", "files", "processors", "whole"),
    ("extras", "policies", "tiles"),
    ("options", "moves", "seeding"),
    ("rules", "events"),
    ("callbacks", "start", "texts", "rounds"),
    ("seats", "standing", "stats"),
    ("identity", "lanes", "notation", "refusals", "render", "round_record"),
    ("position",),
    ("records",),
    ("simulation", "env", "match", "search", "planner"),
    ("archive", "benchmark", "recorder", "signature", "warming"),
    ("cabi", "integrations", "distributed"),
    ("cli",),
    ("__main__",),
)


def by_module(table: tuple[tuple[str, ...], ...]) -> dict[str, int]:
    """Return the floor of each module of a table."""
    return {module: floor for floor, modules in enumerate(table) for module in modules}
