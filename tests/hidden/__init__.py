"""Hidden information: what a seat knows, and samples of what it does not (docs/hidden-information.md)."""
