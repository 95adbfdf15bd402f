"""The kernels of mextrain: structs in, structs out; no text, no files, no Python objects.

Importing this package loads nothing else: its rooms import what they need, and only from rooms below them
(docs/architecture.md).
"""
