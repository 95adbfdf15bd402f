"""Compiling: the only way from this package to Numba and llvmlite.

`jit` compiles kernels, helpers and C functions; `cache` keeps their code on disk, in folders that `trust` lets pass;
`lock` is Numba's lock, `forks` and `interrupts` are what waits for it; `machine` has the machine instructions that
Python cannot name; `vectors` writes vector code; `frozen` makes rules with fields that the compiler
knows. Imports nothing else of the package.
"""
