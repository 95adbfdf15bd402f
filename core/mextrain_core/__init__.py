"""The kernels of mextrain: structs in, structs out; no text, no files, no Python objects on the way.

Importing this package is free: its rooms import what they need, and only from rooms below them (docs/architecture.md).
"""
