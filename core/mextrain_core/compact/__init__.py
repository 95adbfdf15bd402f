"""States in registers: the Numba type of compact states (`intrinsics`), and how plays are found in them (`plays`).

Imports `compiler` and `model`.
"""
