"""A picture: SVG source as a `str`, which notebooks show and `save` writes to a file."""

from __future__ import annotations

import hashlib
from os import PathLike
from pathlib import Path

from mextrain._support.files import whole_file
from mextrain._support.integers import whole
from mextrain.errors import PositionError, shown
from mextrain.picture.colours import check_theme, style
from mextrain.picture.pen import Pen, n, safe

SCOPE = "mx"
"""The class of drawings while they are made; a finished picture has a class of its own."""

MIN_WIDTH, MAX_WIDTH = 600, 4000


class Picture(str):
    """A picture as SVG source. A notebook shows it; `save` writes it to a file.

    It uses no fonts for tiles, no script, no other files and no CSS variables, so that browsers, office programs and
    converters show the same.
    """

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return f"<Picture, SVG, {len(self.encode()):,} bytes>"

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the picture to a file, which is complete or unchanged whatever happens, and return its path.

        Raises `PositionError` if the name has another ending than `.svg`, `OSError` if the file cannot be written.
        """
        hint = "only SVG is written; programs such as rsvg-convert and Inkscape turn it into PNG or PDF"
        return save_text(self, path, ".svg", hint)


def save_text(text: str, path: str | PathLike[str], suffix: str, hint: str) -> Path:
    """Write a text to a file whose name must end with `suffix`, and return its path; raises as `Picture.save` does."""
    file = checked_path(path, suffix, hint)
    with whole_file(file) as out:
        out.write(text.encode())
    return file


def checked_path(path: str | PathLike[str], suffix: str, hint: str) -> Path:
    """Return the path of a file; raises `PositionError` unless its name ends with `suffix`."""
    file = Path(path)
    if file.suffix.lower() != suffix:
        raise PositionError(f"{shown(str(path))} does not end with {suffix}: {hint}")
    return file


def check_width(width: object) -> int:
    """Return the width of a picture in pixels; raises `PositionError` for one that is out of range."""
    columns = whole(width)
    if columns is None or not MIN_WIDTH <= columns <= MAX_WIDTH:
        raise PositionError(f"width = {shown(width)}: expected pixels, a whole number {MIN_WIDTH} … {MAX_WIDTH}")
    return columns


def finished(pen: Pen, size: tuple[float, float], theme: str, title: str, told: str) -> Picture:
    """Return the picture that a pen has drawn. `told` describes it in words for those who do not see it.

    The class and the ids depend on the whole content, so that different pictures on one page do not clash, and equal
    ones are equal byte by byte.
    """
    theme = check_theme(theme)
    body = "".join(pen.out)
    w, h = n(size[0]), n(size[1])
    scope = SCOPE + hashlib.sha256(repr((body, w, h, theme, title, told)).encode()).hexdigest()[:10]
    glyphs = pen.defs().replace(f'"{SCOPE}_', f'"{scope}_')
    body = body.replace(f'"#{SCOPE}_', f'"#{scope}_')
    return Picture(
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{scope}" role="img" aria-labelledby="{scope}_t {scope}_d" '
        f'viewBox="0 0 {w} {h}" width="{w}" height="{h}"><title id="{scope}_t">{safe(title)}</title>'
        f'<desc id="{scope}_d">{safe(told)}</desc><style>{style(scope, theme)}</style><defs>{glyphs}</defs>'
        f'<rect class="felt" width="{w}" height="{h}" rx="10"/>{body}</svg>\n'
    )
