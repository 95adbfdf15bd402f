"""Searches: what a seat knows, worlds in blocks, flat and tree search, budgets, results.

Imports `hidden` and the rooms below it. `mextrain.search` itself is in `study`, as it takes policies in any form.
"""
