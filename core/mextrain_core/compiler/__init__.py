"""Compilation. Apart from `compact.intrinsics`, only this room imports Numba and llvmlite.

`jit` compiles kernels, helpers and C functions; `cache` keeps their code on disk, in folders that `trust` accepts;
`lock` is Numba's lock, for which `forks` and `interrupts` make forks and Ctrl-C wait; `machine` has machine
instructions that Python cannot express; `vectors` writes vector code; `frozen` makes rules with fields that are
compile-time constants. Imports nothing else of the package.
"""
