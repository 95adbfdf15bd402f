"""Pictures as SVG: the table of a position, the best train of a hand, and beliefs (docs/pictures.md).

Plain strings, no library. `svg.py` has the picture itself, a `str` that notebooks show; `pen.py` draws tiles, rings and
words, with the glyphs of `halves.py` and the colours of `colours.py`. `table.py` draws a position: `trees.py` turns the
plays into trees of tiles, `layout.py` finds their places, `trains.py` and `hands.py` draw them. `plans.py` draws a hand
laid out, `heat.py` where the unseen tiles may be.

What a seat may not see is left out where it is drawn, so that it occurs nowhere in the source of its picture.

Imports `notation`, `game` and `errors`.
"""
