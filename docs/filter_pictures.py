"""The pictures of the adaptive filters: ``python docs/filter_pictures.py`` runs the examples and draws.

Every picture is made of what the example itself has computed.
"""

import runpy
import sys
from pathlib import Path

import numpy as np

from fenchel.report.plot import Axis, Series, draw

EXAMPLES = Path(__file__).parent / "examples" / "filters"
PICTURES = Path(__file__).parent / "_static"
MOST_POINTS = 600


def power(signal, window=800):
    """Power in dB, averaged over a window."""
    smooth = np.convolve(signal**2, np.ones(window) / window, mode="valid")
    return 10.0 * np.log10(smooth + 1e-12)


def curves(x, **named):
    """One series for each name, thinned to what a picture can show."""
    step = max(1, len(x) // MOST_POINTS)
    return [Series(n.replace("_", " "), x[::step], y[::step]) for n, y in named.items()]


def echo(e):
    before, after = power(e["microphone"]), power(e["left"])
    seconds = np.arange(len(before)) / 8000.0
    series = curves(seconds, echo_cancelled=after, microphone=before)
    return "The echo goes, the near voice stays", "seconds", "power, dB", series


def noise(e):
    last = slice(-1000, None)
    seconds = np.arange(len(e["belly"]))[last] / 500.0
    series = curves(seconds, what_is_left=e["child"][last], at_the_belly=e["belly"][last])
    return "The mother's heart is taken out", "seconds", "lead, recorded units", series


def system(e):
    learned = e["system"].coef_
    true = np.concatenate([e["ROOM"], np.zeros(len(learned) - len(e["ROOM"]))])
    series = curves(np.arange(len(learned)), learned=learned, the_system=true)
    return "The impulse response is found", "delay, samples", "weight", series


def prediction(e):
    last = slice(-720, None)
    seconds = np.arange(len(e["signal"]))[last] / 360.0
    series = curves(seconds, error=e["error"][last], the_heart=e["signal"][last])
    return "A heart predicted one sample ahead", "seconds", "mV", series


if __name__ == "__main__":
    sys.path.insert(0, str(EXAMPLES))
    for told in (echo, noise, system, prediction):
        title, x, y, series = told(runpy.run_path(str(EXAMPLES / f"{told.__name__}.py")))
        picture = PICTURES / f"filter_{told.__name__}.svg"
        picture.write_text(draw(title, Axis(x), Axis(y), series) + "\n", encoding="utf-8")
        print(picture)
