"""The lockstep backend: lane code compared with plain numbers, and whole matches compared with the scalar backend."""
