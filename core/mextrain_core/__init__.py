"""The kernels of mextrain: records in, records out; no text, no files, no Python objects on the way.

Importing this package is free: each module says which floor it lives on and imports from lower floors only
(docs/architecture.md). Only ``_jit`` knows Numba.
"""
