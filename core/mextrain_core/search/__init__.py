"""Search under hidden information: moves tried in sampled worlds, and trees over what a seat can see.

The kernels do the parts of a search; `mextrain.searches` puts them together. Imports `bulk`, `hidden` and the rooms
below them.
"""
