"""Axes of a picture: where a value lies, and which values are worth a tick."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fenchel.report.text import figure, power

Values = NDArray[np.float64]


class Axis(NamedTuple):
    """An axis: what it measures, its unit included, and whether it is logarithmic."""

    label: str
    log: bool = False


class Scale:
    """Values of an axis on a stretch of the picture, from ``start`` to ``stop`` (pixels).

    >>> scale = Scale(Axis("rounds", log=True), np.array([1.0, 1000.0]), 0.0, 300.0)
    >>> scale.place(np.array([10.0])).round(6), scale.ticks()
    (array([100.]), [1.0, 10.0, 100.0, 1000.0])
    """

    def __init__(self, axis: Axis, values: Values, start: float, stop: float) -> None:
        self.axis, self._start, self._stop = axis, start, stop
        low, high = (float(values.min()), float(values.max())) if len(values) else (1.0, 10.0)
        if axis.log:
            low, high = (low, high) if high > low else (0.5 * low, 2.0 * high)
        elif low == high:
            low, high = low - 0.5, high + 0.5
        else:
            # Zero is where a linear axis begins, unless the values are far from it.
            low, high = (min(low, 0.0), high) if low < 0.5 * high else (low, high)
            high = max(high, 0.0)
        self.low, self.high = low, high

    def shows(self, values: Values) -> NDArray[np.bool_]:
        """Whether each value has a place: finite ones, on a logarithmic axis above zero."""
        return np.isfinite(values) & ((values > 0.0) | (not self.axis.log))

    def place(self, values: Values) -> Values:
        """The places of values, in pixels."""
        if self.axis.log:
            low, high = math.log(self.low), math.log(self.high)
            share = (np.log(values) - low) / (high - low)
        else:
            share = (values - self.low) / (self.high - self.low)
        return np.asarray(self._start + share * (self._stop - self._start))

    def ticks(self) -> list[float]:
        """At most seven round values."""
        return self._decades() if self.axis.log else self._steps()

    def _steps(self) -> list[float]:
        rough = (self.high - self.low) / 5.0
        unit = 10.0 ** math.floor(math.log10(rough))
        step = next(m * unit for m in (1.0, 2.0, 5.0, 10.0) if m * unit >= rough)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [k * step for k in range(first, last + 1)]

    def _decades(self) -> list[float]:
        low, high = math.log10(self.low), math.log10(self.high)
        first, last = math.ceil(low - 1e-9), math.floor(high + 1e-9)
        if last - first >= 2:
            every = math.ceil((last - first + 1) / 6)
            return [10.0**k for k in range(first, last + 1, every)]
        within = [m * 10.0**k for k in range(first - 1, last + 1) for m in (1.0, 2.0, 5.0)]
        found = [v for v in within if self.low * (1 - 1e-9) <= v <= self.high * (1 + 1e-9)]
        return found if len(found) > 1 else self._steps()  # values that hardly differ

    def told(self, tick: float) -> str:
        """A tick's label."""
        exponent = round(math.log10(tick)) if tick > 0.0 else 0
        if self.axis.log and abs(exponent) >= 5 and math.isclose(tick, 10.0**exponent):
            return power(exponent)
        return figure(tick, digits=3, largest=1e5)  # there is room for six letters
