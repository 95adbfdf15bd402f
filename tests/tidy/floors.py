"""The floors of both packages: a module imports from lower floors only. A new module gets its line here."""

CORE = (
    ("limits", "_jit"),
    ("_lanes", "_frozen", "bits", "rng"),
    ("tiles",),
    ("rules", "moves", "_compact"),
    ("state", "compact"),
    ("movegen", "deal", "score", "trace"),
    ("apply",),
    ("evidence", "invariants", "planner", "retrace", "view"),
    ("policies", "planner_policy", "worlds"),
    ("determinize", "observe", "rollout", "perft"),
    ("search", "batch", "lockstep", "replay", "samples"),
    ("abi",),
)

PYTHON = (
    ("errors", "files", "processors", "whole"),
    ("extras", "policies", "tiles"),
    ("options", "moves", "seeding"),
    ("rules", "events"),
    ("callbacks", "start", "texts", "rounds"),
    ("seats", "standing", "stats"),
    ("engines", "identity", "lanes", "notation", "refusals", "render", "round_record"),
    ("position",),
    ("information", "records"),
    ("determinization", "histories", "observations"),
    ("tile_probabilities",),
    ("simulation", "env", "match", "search", "planner"),
    ("archive", "benchmark", "hands", "recorder", "signature", "tournaments", "warming"),
    ("dataset",),
    ("cabi", "integrations", "distributed"),
    ("cli",),
    ("__main__",),
)


def by_module(table: tuple[tuple[str, ...], ...]) -> dict[str, int]:
    """Return the floor of each module of a table."""
    return {module: floor for floor, modules in enumerate(table) for module in modules}
