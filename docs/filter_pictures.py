"""The pictures of the adaptive filters: ``python docs/filter_pictures.py`` runs the examples and draws.

Every picture is made of what the example itself has computed.
"""

import runpy
import sys
from pathlib import Path

import numpy as np
from pictures import BLUE, BOTTOM, HEIGHT, LEFT, ORANGE, PICTURE, RIGHT, WIDTH

EXAMPLES = Path(__file__).parent / "examples" / "filters"
MOST_POINTS = 600


def power(signal, window=800):
    """Power in dB, averaged over a window."""
    smooth = np.convolve(signal**2, np.ones(window) / window, mode="valid")
    return 10.0 * np.log10(smooth + 1e-12)


def echo(e):
    curves = {"microphone": power(e["microphone"]), "echo cancelled": power(e["left"])}
    seconds = np.arange(len(curves["microphone"])) / 8000.0
    return seconds, curves, "seconds", "power, dB", "The echo goes, the near voice stays"


def noise(e):
    last = slice(-1000, None)
    seconds = np.arange(len(e["belly"]))[last] / 500.0
    curves = {"at the belly": e["belly"][last], "child's heart": e["child"][last]}
    return seconds, curves, "seconds", "lead, recorded units", "The mother's heart is taken out"


def system(e):
    learned = e["system"].coef_
    true = np.concatenate([e["ROOM"], np.zeros(len(learned) - len(e["ROOM"]))])
    curves = {"the system": true, "learned": learned}
    return (
        np.arange(len(learned)),
        curves,
        "delay, samples",
        "weight",
        "The impulse response is found",
    )


def prediction(e):
    last = slice(-720, None)
    seconds = np.arange(len(e["signal"]))[last] / 360.0
    curves = {"the heart": e["signal"][last], "error": e["error"][last]}
    return seconds, curves, "seconds", "mV", "A heart predicted one sample ahead"


def draw(x, curves, x_label, y_label, title) -> str:
    """Two curves over one axis, as SVG; each is named in its colour at its right end."""
    step = max(1, len(x) // MOST_POINTS)
    x, curves = x[::step], {name: curve[::step] for name, curve in curves.items()}
    low, high = min(c.min() for c in curves.values()), max(c.max() for c in curves.values())
    low, high = low - 0.05 * (high - low), high + 0.05 * (high - low)
    right, foot = WIDTH - RIGHT, HEIGHT - BOTTOM

    def across(value):
        return LEFT + (value - x[0]) / (x[-1] - x[0]) * (right - LEFT)

    def up(value):
        return foot - (value - low) / (high - low) * (foot - 44)

    def text(px, py, words, anchor="middle", colour="#333"):
        return (
            f'<text x="{px:.0f}" y="{py:.0f}" text-anchor="{anchor}" fill="{colour}">{words}</text>'
        )

    pieces = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'font-family="sans-serif" font-size="14">',
        f"<title>{title}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        text((LEFT + right) / 2, 24, title),
        f'<path d="M{LEFT} 40V{foot}H{right}" fill="none" stroke="#888"/>',
        *(text(across(v), foot + 20, f"{v:g}") for v in ticks(x[0], x[-1])),
        *(text(LEFT - 8, up(v) + 5, f"{v:g}", "end") for v in ticks(low, high)),
        text((LEFT + right) / 2, HEIGHT - 14, x_label),
        f'<text transform="translate(24 {(44 + foot) / 2:.0f}) rotate(-90)" text-anchor="middle" '
        f'fill="#333">{y_label}</text>',
    ]
    places = [up(curve[-1]) + 5 for curve in curves.values()]
    if abs(places[0] - places[1]) < 18:  # names that would touch are set apart
        middle = min(max(sum(places) / 2, 62), foot - 14)
        above = 1 if places[0] > places[1] else -1
        places = [middle + 10 * above, middle - 10 * above]
    dashes = ("", ' stroke-dasharray="5 3"' if len(x) < 100 else "")
    named = zip(curves.items(), (ORANGE, BLUE), places, dashes, strict=True)
    for (name, curve), colour, place, dash in named:
        points = " ".join(f"{across(a):.1f},{up(b):.1f}" for a, b in zip(x, curve, strict=True))
        pieces.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"{dash}/>'
        )
        pieces.append(text(right + 8, place, name, "start", colour))
    return "\n".join([*pieces, "</svg>"]) + "\n"


def ticks(low, high):
    """Four to nine round numbers between two others."""
    step = 10.0 ** np.floor(np.log10((high - low) / 4.0))
    step *= max(k for k in (1, 2, 5) if (high - low) / (step * k) >= 4.0)
    return [float(v) for v in np.round(np.arange(np.ceil(low / step), high / step) * step, 9)]


if __name__ == "__main__":
    sys.path.insert(0, str(EXAMPLES))
    for curves_of in (echo, noise, system, prediction):
        name = curves_of.__name__
        picture = PICTURE.with_name(f"filter_{name}.svg")
        picture.write_text(draw(*curves_of(runpy.run_path(str(EXAMPLES / f"{name}.py")))), "utf-8")
        print(picture)
