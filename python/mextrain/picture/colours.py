"""The colours of pictures, each written out: converters know no variables of CSS."""

from __future__ import annotations

from mextrain.errors import PositionError, shown

NUMBERS = (
    "#8c8577", "#0d6fa3", "#1f7a33", "#c72424", "#86552b", "#2342b8", "#866200", "#b52b84", "#08706e", "#6a2fb5",
    "#b04e00", "#94184a", "#4b5763", "#4f6e00", "#7c4dbd", "#00695c", "#a3531a", "#37478f", "#1b1b1b",
)
"""The colour of each number, in the manner of coloured sets. All but that of 0 have a contrast of 4.4 : 1 or more on
both tile faces. Colour is never the only sign: the numeral or the count of pips is there as well."""

WILD = "#c81e1e"
LETTERS = {"A": "#1d6f42", "D": "#7a3e9d", "R": "#0b6aa2", "S": "#a3541a", "T": "#9c1f5c"}

_LIGHT = {
    "felt": "#f4f1ea", "ink": "#22262b", "dim": "#5f666e", "rail": "#c9c2b4", "face": "#fffdf6", "edge": "#8c8577",
    "back": "#8d99a6", "accent": "#0b6bcb", "open": "#1a7f37", "owed": "#d1242f", "line": "#dcd6c9", "on": "#ffffff",
}
_DARK = {
    "felt": "#1c2128", "ink": "#e6e9ed", "dim": "#9aa4af", "rail": "#485260", "face": "#efe9da", "edge": "#0c0f13",
    "back": "#5b6673", "accent": "#5aa9ff", "open": "#3fb950", "owed": "#ff6b63", "line": "#343c46", "on": "#10151b",
}
THEMES = {"light": (_LIGHT,), "dark": (_DARK,), "auto": (_LIGHT, _DARK)}
"""The colours of each theme. `auto` has two sets: viewers that prefer dark colours take the second."""

_RULES = (
    ("felt", "fill:{felt}"), ("ink", "fill:{ink}"), ("dim", "fill:{dim}"), ("rail", "stroke:{rail};fill:none"),
    ("face", "fill:{face};stroke:{edge}"), ("bar", "stroke:{edge}"), ("back", "fill:{back};stroke:{edge}"),
    ("acc", "fill:{accent}"), ("ring", "stroke:{accent};fill:none"), ("on", "fill:{on}"), ("open", "fill:{open}"),
    ("owed", "stroke:{owed};fill:none"), ("must", "fill:{owed}"), ("line", "stroke:{line}"),
    ("badge", "fill:{felt};stroke:{dim}"), ("gone", "fill:{line}"),
)


def check_theme(theme: object) -> str:
    """Return `theme` if it is one of `THEMES`; raises `PositionError` otherwise."""
    if not isinstance(theme, str) or theme not in THEMES:
        raise PositionError(f"theme = {shown(theme)}: expected one of {', '.join(sorted(THEMES))}")
    return theme


def style(scope: str, theme: str) -> str:
    """Return the style sheet for the class `scope`, so that two pictures on one page keep their own colours."""

    def rules(colours: dict[str, str]) -> str:
        return "".join(f".{scope} .{name}{{{what.format(**colours)}}}" for name, what in _RULES)

    first, *dark = map(rules, THEMES[theme])
    font = f".{scope} text{{font-family:system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}}"
    return font + first + "".join(f"@media (prefers-color-scheme:dark){{{each}}}" for each in dark)
