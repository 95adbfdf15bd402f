"""Games with people: at the terminal against policies, and beside a table with real tiles.

Text in, text out; nothing here plays or counts by itself. Imports `bulk`, `study`, `hidden` and everything below.
"""
