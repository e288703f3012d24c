"""Two plain SVG pictures, readable on light and on dark pages."""

from html import escape

COLOURS = ["#2da44e", "#cf222e", "#d4a72c", "#8c959f", "#218bff", "#a475f9"]
STYLE = """<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.small { font-size: 11px }
.axis { stroke: #8c959f; stroke-width: 1 }
.on { fill: #ffffff }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } }
</style>"""


def picture(width, height, title, parts):
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">'
    return "\n".join([head, f"<title>{escape(title)}</title>", STYLE, *parts, "</svg>", ""])


def text(x, y, words, more=""):
    return f'<text x="{x:g}" y="{y:g}" {more}>{escape(str(words))}</text>'


def bars(title, legend, rows):
    """One bar per row, of parts as long as their numbers."""
    left, full, parts = 140, 560, [text(10, 20, title)]
    x = left
    for colour, name in zip(COLOURS, legend):
        parts += [f'<rect x="{x}" y="32" width="10" height="10" fill="{colour}"/>', text(x + 14, 41, name, 'class="small"')]
        x += 30 + 7 * len(name)
    for at, (name, numbers) in enumerate(rows):
        x, y = left, 56 + at * 28
        parts.append(text(10, y + 15, name))
        for colour, number in zip(COLOURS, numbers):
            width = full * number / sum(numbers)
            if number:
                parts.append(f'<rect x="{x:g}" y="{y}" width="{width:g}" height="20" fill="{colour}"/>')
                parts.append(text(x + width / 2, y + 14, number, 'class="small on" text-anchor="middle"'))
            x += width
    return picture(left + full + 20, 66 + len(rows) * 28, title, parts)


def lines(title, axis, series):
    """Shares from 0 to 1 over 1, 2, …"""
    left, top, wide, high = 60, 40, 420, 240
    parts = [text(10, 20, title)]
    for share in (0, 0.25, 0.5, 0.75, 1):
        y = top + high * (1 - share)
        parts += [f'<line class="axis" x1="{left}" y1="{y}" x2="{left + wide}" y2="{y}" stroke-opacity="0.35"/>']
        parts += [text(left - 8, y + 4, f"{share:.0%}", 'class="small" text-anchor="end"')]
    count = len(next(iter(series.values())))
    xs = [left + wide * at / (count - 1) for at in range(count)]
    parts += [text(x, top + high + 18, at + 1, 'class="small" text-anchor="middle"') for at, x in enumerate(xs)]
    parts.append(text(left + wide / 2, top + high + 38, axis, 'class="small" text-anchor="middle"'))
    # Curves may lie on each other; the dashes of the second, drawn last, show both.
    for at, (name, shares) in sorted(enumerate(series.items()), key=lambda one: one[0] == 1):
        colour = COLOURS[(3, 2, 1, 0, 4)[at]]
        points = " ".join(f"{x:g},{top + high * (1 - share):g}" for x, share in zip(xs, shares))
        dashes = ' stroke-dasharray="7 6"' if at == 1 else ""
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.5"{dashes}/>')
        y = top + 20 + at * 22
        parts.append(f'<line x1="{left + wide + 20}" y1="{y - 4}" x2="{left + wide + 44}" y2="{y - 4}" stroke="{colour}" stroke-width="2.5"{dashes}/>')
        parts.append(text(left + wide + 50, y, name, 'class="small"'))
    return picture(left + wide + 350, top + high + 50, title, parts)
