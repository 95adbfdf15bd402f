"""Compact states, which live in registers: their Numba type (`intrinsics`), and how to find plays in them (`plays`).

Imports `compiler` and `model`.
"""
