"""The table as an SVG: one bar for each job, its length the ratio to the reference on a logarithmic scale."""

import math
from html import escape

LEFT, WIDTH, ROW = 360, 420, 26


def place(ratio):
    """From 0.01 to 10."""
    return WIDTH * (math.log10(min(max(ratio, 0.01), 10)) + 2) / 3


def svg(rows):
    rows = [row for row in rows if row.get("measured") and row["unit"] == "x"]
    height = ROW * len(rows) + 60
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 90}" height="{height}" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="#fff"/>',
        f'<text x="{LEFT}" y="18">time as a multiple of the reference; the line is the target</text>',
    ]
    for mark in (0.01, 0.1, 1, 10):
        x = LEFT + place(mark)
        out.append(f'<path d="M{x:.0f} 28V{height - 24}" stroke="#ddd"/>')
        out.append(f'<text x="{x:.0f}" y="{height - 8}" text-anchor="middle" fill="#666">{mark:g}</text>')
    for number, row in enumerate(rows):
        y = 34 + ROW * number
        good = row["measured"] <= row["target"]
        out.append(f'<text x="{LEFT - 8}" y="{y + 13}" text-anchor="end">{escape(row["job"])}</text>')
        out.append(
            f'<rect x="{LEFT}" y="{y}" width="{place(row["measured"]):.1f}" height="16" '
            f'fill="{"#2a7d4f" if good else "#b5532a"}"/>'
        )
        x = LEFT + place(row["target"])
        out.append(f'<path d="M{x:.1f} {y - 3}v22" stroke="#000" stroke-width="2"/>')
        out.append(f'<text x="{LEFT + WIDTH + 8}" y="{y + 13}">{row["measured"]:.3g}</text>')
    return "\n".join([*out, "</svg>", ""])
