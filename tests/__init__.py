"""The tests; `tests.reference` is the slow rulebook with which the kernels are compared."""
