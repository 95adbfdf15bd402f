"""The kernels against the slow rulebook of `tests/reference`: the same round, step by step."""
