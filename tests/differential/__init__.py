"""The kernels compared with the slow rulebook of `tests/reference`: the same round, step by step."""
