"""Bars as a picture (SVG) that reads well in light and in dark."""

from collections.abc import Sequence
from html import escape

WIDTH, ROW, LEFT, TOP = 720, 34, 230, 64
_COLOURS = ("#2f6f9f", "#d08a2c")


def bars(title: str, names: tuple[str, str], groups: Sequence[tuple[str, float, float]]) -> str:
    """Return a picture of two shares (0 to 1) for each group, one above the other."""
    height = TOP + ROW * len(groups) + 16
    scale = WIDTH - LEFT - 70
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'font-family="sans-serif" font-size="13" role="img" aria-label="{escape(title)}">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="16" y="26" font-size="16" fill="#1c1c1c">{escape(title)}</text>',
    ]
    for place, (name, colour) in enumerate(zip(names, _COLOURS, strict=True)):
        x = LEFT + 110 * place
        parts.append(f'<rect x="{x}" y="40" width="12" height="12" fill="{colour}"/>')
        parts.append(f'<text x="{x + 18}" y="51" fill="#1c1c1c">{escape(name)}</text>')
    for number, (name, *shares) in enumerate(groups):
        y = TOP + ROW * number
        parts.append(
            f'<text x="{LEFT - 10}" y="{y + 19}" text-anchor="end" fill="#1c1c1c">'
            f"{escape(name)}</text>"
        )
        for place, (share, colour) in enumerate(zip(shares, _COLOURS, strict=True)):
            top, width = y + 2 + 13 * place, round(share * scale, 1)
            parts.append(
                f'<rect x="{LEFT}" y="{top}" width="{width}" height="11" fill="{colour}"/>'
                f'<text x="{LEFT + width + 6}" y="{top + 10}" font-size="11" fill="#1c1c1c">'
                f"{share:.2f}</text>"
            )
    return "\n".join([*parts, "</svg>\n"])
