"""Bots in any language: child processes that speak `mextrain-bot/1` on stdin and stdout (docs/bots.md).

Imports `position` and everything below.
"""
