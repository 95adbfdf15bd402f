"""The tests; `tests.reference` is the slow rulebook that the engine is compared with."""
