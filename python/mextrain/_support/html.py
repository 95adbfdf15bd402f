"""Small HTML tables, which notebooks show for results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def html_table(caption: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table; every cell is escaped, and shown as a number at the right if it begins with a digit or sign."""
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    top = f'<caption style="text-align:left">{escape(caption)}</caption>'
    return f"<table>{top}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    text = str(value)
    side = "right" if text[:1].isdigit() or text[:1] in "-−+" else "left"
    return f'<td style="text-align:{side}">{escape(text)}</td>'
