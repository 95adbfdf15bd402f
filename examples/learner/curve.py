"""A learning curve as a picture: one line a group of opponents, over the CPU time."""

from __future__ import annotations

from xml.sax.saxutils import escape

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 320, 50, 120, 30, 40
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00")


def drawn(names: list[str], rows: list[list[float]], title: str) -> str:
    """Return an SVG of the columns of `rows` from the third on; the first is CPU seconds."""
    shown = [k for k, name in enumerate(names) if k >= 2 and name != "self"]
    values = [row[k] for row in rows for k in shown if row[k] == row[k]]
    most = max([row[0] for row in rows] + [1.0])
    low, high = min([0.0, *values]), max([1.0, *values])

    def place(second: float, value: float) -> str:
        x = LEFT + (WIDTH - LEFT - RIGHT) * second / most
        y = TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / (high - low)
        return f"{x:.1f},{y:.1f}"

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"',
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="18">{escape(title)}: points a round ahead of the others, while learning</text>',
        f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 8}" text-anchor="end">CPU seconds of one thread</text>',
    ]
    step = next(size for size in (0.5, 1, 2, 5, 10, 20, 50, 100) if (high - low) / size <= 8)
    tick = step * -(-low // step)
    while tick <= high:
        x, y = place(0, tick).split(",")
        parts.append(f'<path d="M{x} {y}H{WIDTH - RIGHT}" stroke="{"#888888" if tick == 0 else "#dddddd"}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{float(y) + 4:.1f}" text-anchor="end">{tick:g}</text>')
        tick += step
    for second in (0.0, most / 2, most):
        x = place(second, low).split(",")[0]
        parts.append(f'<text x="{x}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{second:.0f}</text>')
    for place_of, k in enumerate(shown):
        line = [place(row[0], row[k]) for row in rows if row[k] == row[k]]
        colour = COLOURS[place_of % len(COLOURS)]
        parts.append(f'<polyline points="{" ".join(line)}" fill="none" stroke="{colour}" stroke-width="2"/>')
        height = TOP + 14 + 18 * place_of
        parts.append(f'<text x="{WIDTH - RIGHT + 8}" y="{height}" fill="{colour}">{escape(names[k])}</text>')
    return "\n".join([*parts, "</svg>", ""])
