"""The lockstep engine: lane code against plain numbers, and whole matches against the scalar engine."""
