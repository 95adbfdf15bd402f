"""Positions as people look at them."""
