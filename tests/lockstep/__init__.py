"""The lockstep backend: lane code against plain numbers, and whole matches against the scalar backend."""
