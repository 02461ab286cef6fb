"""Pictures as SVG text, without a library: lines and points on linear or logarithmic axes.

A picture is 360 units wide, so that on a telephone a letter is as large as on paper. Series differ
in colour (Okabe and Ito's, which colour-blind eyes tell apart), in dash and in mark. Every picture
has a title, and a description that says in words where each series begins and ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fenchel.report.axes import Axis, Scale, Values
from fenchel.report.text import escape, figure, slug

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#A6761D", "#000000", "#E69F00")
DASHES = ("", "7 3", "2 2.5", "8 2 2 2", "", "7 3", "2 2.5", "8 2 2 2")
WIDTH, PLOT_HEIGHT, LEFT, RIGHT, TOP = 360, 210, 50, 12, 8
TICKS_BELOW, LABEL_BELOW, ROW = 16, 32, 17
SHOWN = 540  # the width where nothing else is asked for
LETTER = 6.1  # the usual width of a letter at the legend's size
MOST_MARKS = 12  # a line with more points than these is drawn without marks

__all__ = ["Axis", "Series", "draw"]


class Series(NamedTuple):
    """Values by name; ``kind`` is "line" or "points"."""

    name: str
    x: ArrayLike
    y: ArrayLike
    kind: str = "line"


class _Drawn(NamedTuple):
    """A series with its places in the picture."""

    series: Series
    x: Values
    y: Values
    number: int


def draw(title: str, x: Axis, y: Axis, series: Sequence[Series], about: str = "") -> str:
    """The picture as an SVG element that scales with its place.

    >>> svg = draw("Growth", Axis("rounds"), Axis("loss"), [Series("ours", [1, 2], [3, 4])])
    >>> svg.startswith("<svg"), "ours: from 3 at 1 to 4 at 2" in svg
    (True, True)
    """
    kept = [_shown(one, number, x, y) for number, one in enumerate(series)]
    across = Scale(x, _joined([one.x for one in kept]), LEFT, WIDTH - RIGHT)
    up = Scale(y, _joined([one.y for one in kept]), TOP + PLOT_HEIGHT, TOP)
    legend, rows = _legend(kept)
    height = TOP + PLOT_HEIGHT + LABEL_BELOW + 10 + ROW * rows
    name = slug(title)
    said = " ".join(filter(None, [about, *(_told(one) for one in kept)]))
    pieces = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{SHOWN}" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-labelledby="{name}-t {name}-d" font-family="sans-serif" font-size="11">',
        f'<title id="{name}-t">{escape(title)}</title>',
        f'<desc id="{name}-d">{escape(said)}</desc>',
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        *_frame(across, up),
        *(piece for one in kept for piece in _series(one, across, up)),
        *legend,
        "</svg>",
    ]
    return "\n".join(pieces)


def _shown(one: Series, number: int, x: Axis, y: Axis) -> _Drawn:
    """The points that have a place on both axes."""
    xs, ys = np.asarray(one.x, np.float64), np.asarray(one.y, np.float64)
    keep = np.isfinite(xs) & np.isfinite(ys)
    keep &= (xs > 0.0) | (not x.log)
    keep &= (ys > 0.0) | (not y.log)
    return _Drawn(one, xs[keep], ys[keep], number)


def _joined(parts: Sequence[Values]) -> Values:
    return np.concatenate(parts) if parts else np.zeros(0)


def _told(one: _Drawn) -> str:
    """The beginning and end of a series, in words."""
    if not len(one.x):
        return f"{one.series.name}: nothing to show."
    first, last = (f"{figure(float(one.y[k]))} at {figure(float(one.x[k]))}" for k in (0, -1))
    return f"{one.series.name}: from {first} to {last}."


def _text(x: float, y: float, words: str, anchor: str = "middle", more: str = "") -> str:
    said = escape(words)
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="#222"{more}>{said}</text>'


def _frame(across: Scale, up: Scale) -> list[str]:
    """Grid, ticks and what the axes measure."""
    bottom, right = TOP + PLOT_HEIGHT, WIDTH - RIGHT
    pieces = []
    for tick, place in _placed(up):
        pieces.append(f'<path d="M{LEFT} {place:.1f}H{right}" stroke="#e3e3e3"/>')
        pieces.append(_text(LEFT - 5, place + 4, tick, "end"))
    for tick, place in _placed(across):
        pieces.append(f'<path d="M{place:.1f} {TOP}V{bottom}" stroke="#e3e3e3"/>')
        pieces.append(_text(min(place, right - 4), bottom + TICKS_BELOW, tick))
    pieces.append(f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="#777"/>')
    middle = (LEFT + right) / 2
    pieces.append(_text(middle, bottom + LABEL_BELOW, across.axis.label))
    turned = f' transform="rotate(-90 11 {TOP + PLOT_HEIGHT / 2})"'
    pieces.append(_text(11, TOP + PLOT_HEIGHT / 2, up.axis.label, more=turned))
    return pieces


def _placed(scale: Scale) -> list[tuple[str, float]]:
    ticks = scale.ticks()
    places = scale.place(np.array(ticks)).tolist() if ticks else []
    return [(scale.told(tick), place) for tick, place in zip(ticks, places, strict=True)]


def _series(one: _Drawn, across: Scale, up: Scale) -> list[str]:
    places = list(zip(across.place(one.x).tolist(), up.place(one.y).tolist(), strict=True))
    pieces = []
    if one.series.kind == "line" and len(places) > 1:
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        pieces.append(f'<polyline points="{path}" fill="none" {_stroke(one.number)}/>')
    if one.series.kind == "points" or len(places) <= MOST_MARKS:
        size = 1.4 if len(places) > 60 else 2.6
        pieces += [_mark(x, y, one.number, size) for x, y in places]
    return pieces


def _stroke(number: int) -> str:
    colour, dash = COLOURS[number % len(COLOURS)], DASHES[number % len(DASHES)]
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'stroke="{colour}" stroke-width="1.8"{dashed}'


def _mark(x: float, y: float, number: int, size: float = 2.6) -> str:
    """A disc, a square or a triangle."""
    fill = f'fill="{COLOURS[number % len(COLOURS)]}"'
    if number % 3 == 0:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size}" {fill}/>'
    if number % 3 == 1:
        side = size * 1.8
        corner = f"M{x - side / 2:.1f} {y - side / 2:.1f}"
        return f'<path d="{corner}h{side:.1f}v{side:.1f}h{-side:.1f}z" {fill}/>'
    high = size * 1.2
    return f'<path d="M{x:.1f} {y - high:.1f}l{high:.1f} {2 * high:.1f}h{-2 * high:.1f}z" {fill}/>'


def _legend(kept: Sequence[_Drawn]) -> tuple[list[str], int]:
    """Names below the picture, as many in a row as fit; how many rows."""
    pieces: list[str] = []
    row, left = 0, 8.0
    base = TOP + PLOT_HEIGHT + LABEL_BELOW + 16
    for one in kept:
        wide = 34 + LETTER * len(one.series.name) + 8
        if left > 8.0 and left + wide > WIDTH:
            row, left = row + 1, 8.0
        y = base + ROW * row
        if one.series.kind == "line":
            pieces.append(f'<path d="M{left:.1f} {y - 4}h26" {_stroke(one.number)}/>')
        pieces.append(_mark(left + 13, y - 4, one.number))
        pieces.append(_text(left + 31, y, one.series.name, "start"))
        left += wide
    return pieces, row + 1 if kept else 0
