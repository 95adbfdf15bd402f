"""A round as a page for a browser: one HTML file that needs no network (docs/pictures.md).

`page.py` has `replay_page`. `frames.py` draws the table after every decision, with the drawing of `picture`; `told.py`
says in words what happened; `panels.py` estimates points and the places of unseen tiles. `page.html`, `page.css` and
`page.js` are the page without its data.

Imports `study`, `hidden`, `bulk`, `picture`, and the rooms of positions and records.
"""
