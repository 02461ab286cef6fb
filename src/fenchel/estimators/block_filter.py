"""Long echoes: LMS in the frequency domain, one block of samples at a time (overlap-save)."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from fenchel import models
from fenchel.estimators.filter import MOST_TAPS, Filtered, signals
from fenchel.parts.state import Array

# Of the mean power: a frequency that is hardly there takes no long steps.
FLOOR = 0.01
# What a model file keeps of it.
ARRAYS = ("weights", "power", "gain", "before", "far", "near")


class BlockFilter(BaseEstimator):  # type: ignore[misc]
    """LMS over blocks of as many samples as the filter has taps, each frequency with its own step.

    A block's output and the gradient of its errors are convolutions, made by FFTs of 2·taps: a sample
    costs ln(taps) where plain LMS costs taps. The step of a frequency is μ over the power of the
    reference there, a running mean; the gradient is cut to the taps (the constrained form). The error
    of a block is learned from before the next block, not before the next sample. Calls continue each
    other in the middle of a block too: signals in pieces of any length give the weights to the bit, and
    the outputs up to rounding, that they give as a whole.

    It does not amplify for long: the output is the filter's times a gain in [0, 1], the one that would
    have left least over the blocks before; a filter that makes things worse is turned down to silence.

    Parameters
    ----------
    taps
        The length of the filter, and of a block.
    mu
        The step, 0 < μ ≤ 1.
    memory
        Blocks that the mean power reaches back, more or less.

    Examples
    --------
    >>> reference = np.random.default_rng(0).standard_normal(8192)
    >>> echo = np.convolve(reference, np.r_[np.zeros(100), 0.5, -0.2])[:8192]
    >>> output, error = BlockFilter(taps=128).run(reference, echo)
    >>> bool(np.mean(error[-1024:] ** 2) < 1e-3 * np.mean(echo**2))
    True

    References
    ----------
    Shynk, Frequency-domain and multirate adaptive filtering, IEEE Signal Processing Magazine (1992).
    """

    samples_: int
    _weights: NDArray[np.complex128]  # of the 2·taps frequencies
    _power: Array
    _gain: Array  # running means of ⟨output, primary⟩ and of ‖output‖²
    _before: Array  # the reference's samples in the block before
    _far: Array  # those in this block so far
    _near: Array  # and the primary signal's

    def __init__(self, taps: int = 512, *, mu: float = 0.5, memory: float = 10.0) -> None:
        self.taps = taps
        self.mu = mu
        self.memory = memory

    def reset(self) -> BlockFilter:
        """Begin anew, with the parameters as they are now."""
        whole = isinstance(self.taps, (int, np.integer)) and not isinstance(self.taps, bool)
        if not whole or not 1 <= self.taps <= MOST_TAPS:
            raise ValueError(f"taps={self.taps!r} must be a whole number from 1 to {MOST_TAPS}")
        if not 0.0 < self.mu <= 1.0:
            raise ValueError(f"mu={self.mu!r} must lie above 0, and at most at 1")
        if not self.memory >= 1.0:
            raise ValueError(f"memory={self.memory!r} must be a number of blocks ≥ 1")
        self._weights = np.zeros(self.taps + 1, complex)
        self._power = np.zeros(self.taps + 1)
        self._before = np.zeros(self.taps)
        self._far, self._near = np.zeros(0), np.zeros(0)
        self._gain = np.zeros(2)
        self.samples_ = 0
        return self

    def run(self, reference: ArrayLike, primary: ArrayLike) -> Filtered:
        """Filter the next samples of both signals, and learn from them.

        A block is learned from once it is whole; until then its samples are filtered and kept. A call
        costs FFTs of 2·taps however few its samples are.
        """
        far, near = signals(reference, primary)
        if not hasattr(self, "samples_"):
            self.reset()
        output, begin = np.empty(len(near)), 0
        while begin < len(near):
            end = min(begin + len(self._before) - len(self._far), len(near))
            output[begin:end] = self._piece(far[begin:end], near[begin:end])
            begin = end
        self.samples_ += len(near)
        return Filtered(output, near - output)

    @property
    def coef_(self) -> Array:
        """The impulse response."""
        if not hasattr(self, "samples_"):
            raise AttributeError("coef_ comes with the first run")
        taps = len(self._before)
        return np.fft.irfft(self._weights, 2 * taps)[:taps]

    def _piece(self, far: Array, near: Array) -> Array:
        """Filter the next samples of a block; once it is whole, learn from it."""
        taps, known = len(self._before), len(self._far)
        self._far = np.concatenate([self._far, far])
        self._near = np.concatenate([self._near, near])
        count = len(self._far)
        heard = np.concatenate([self._before, self._far, np.zeros(taps - count)])
        spectrum = np.fft.rfft(heard)
        output: Array = np.fft.irfft(spectrum * self._weights, 2 * taps)[taps : taps + count]
        gain = self._gain[0] / self._gain[1] if self._gain[1] > 0.0 else 1.0
        gain = min(max(gain, 0.0), 1.0)
        if count == taps:
            self._finish(spectrum, output)
        return gain * output[known:]

    def _finish(self, spectrum: NDArray[np.complex128], output: Array) -> None:
        """Learn from a whole block, and begin the next."""
        self._learn(spectrum, self._near - output)
        now = np.array([output @ self._near, output @ output])
        self._gain = self._gain + (now - self._gain) / self.memory
        self._before, self._far, self._near = self._far, np.zeros(0), np.zeros(0)

    def _learn(self, spectrum: NDArray[np.complex128], error: Array) -> None:
        """W ← W + μ·F·[first taps of F⁻¹(X̄·E/P)], P the mean power of each frequency."""
        taps, power = len(self._before), np.abs(spectrum) ** 2
        first = not self._power.any()
        self._power = power if first else self._power + (power - self._power) / self.memory
        level = np.maximum(self._power, power)
        level = level + FLOOR * level.mean() + 1e-300
        errors = np.fft.rfft(np.concatenate([np.zeros(taps), error]))
        step = np.fft.irfft(np.conj(spectrum) * errors / level, 2 * taps)[:taps]
        self._weights = self._weights + self.mu * np.fft.rfft(step, 2 * taps)

    # ── keeping it ──────────────────────────────────────────────────────────────────────────────

    def save(self, path: str | PathLike[str]) -> None:
        """Write the filter to one safe file, with the samples of a block that is not whole yet."""
        if not hasattr(self, "samples_"):
            self.reset()
        arrays = {name: getattr(self, "_" + name) for name in ARRAYS}
        arrays["weights"] = self._weights.view(np.float64)  # real and imaginary parts in turn
        if not all(np.isfinite(array).all() for array in arrays.values()):
            raise models.ModelRefused(
                f"{path}: not saved: its signals were too loud; reset the filter"
            )
        parameters = {"taps": len(self._before), "mu": float(self.mu), "memory": float(self.memory)}
        models.write(path, arrays, {"block_filter": {**parameters, "samples": self.samples_}})

    @classmethod
    def load(cls, path: str | PathLike[str]) -> BlockFilter:
        """Load a filter that was saved, ready for its next sample."""
        arrays, metadata = models.read(path)
        if "block_filter" not in metadata:
            raise models.ModelRefused(
                f"{path}: no block filter; use AdaptiveFilter.load or Learner.load"
            )
        try:
            return cls._laid_in(arrays, dict(metadata["block_filter"]))
        except (KeyError, TypeError, ValueError) as error:
            what = " ".join(str(error).split())
            raise models.ModelRefused(
                f"{path}: {what:.200}; it cannot be loaded as it is"
            ) from None

    @classmethod
    def _laid_in(cls, arrays: dict[str, Any], told: dict[str, Any]) -> BlockFilter:
        """A filter of the arrays and the numbers in a file; what no filter has kept is refused."""
        samples = told.pop("samples")
        filter = cls(**told)
        taps = len(arrays["before"])
        if type(samples) is not int or samples < 0 or taps != filter.taps:
            raise ValueError(f"its samples do not fit {filter.taps!r:.60} taps")
        filter.reset()
        part = samples % taps  # of the block that is not whole yet
        shapes = {"weights": 2 * taps + 2, "power": taps + 1, "gain": 2, "before": taps}
        for name, length in {**shapes, "far": part, "near": part}.items():
            kept = arrays[name]
            if kept.dtype != np.float64 or kept.shape != (length,) or not np.isfinite(kept).all():
                raise ValueError(f"no array {name!r} of {length} finite numbers")
            setattr(filter, "_" + name, kept)
        filter._weights, filter.samples_ = filter._weights.view(complex), samples
        return filter
