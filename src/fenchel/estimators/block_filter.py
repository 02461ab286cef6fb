"""Long echoes: LMS in the frequency domain, one block of samples at a time (overlap-save)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from fenchel.estimators.filter import Filtered, signals
from fenchel.parts.state import Array

# Of the mean power: a frequency that is hardly there takes no long steps.
FLOOR = 0.01


class BlockFilter(BaseEstimator):  # type: ignore[misc]
    """LMS over blocks of as many samples as the filter has taps, each frequency with its own step.

    A block's output and the gradient of its errors are convolutions, made by FFTs of 2·taps: a sample
    costs ln(taps) where plain LMS costs taps. The step of a frequency is μ over the power of the
    reference there, a running mean; the gradient is cut to the taps (the constrained form). The error
    of a block is learned from before the next block, not before the next sample.

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
    _before: Array  # the last ``taps`` samples of the reference

    def __init__(self, taps: int = 512, *, mu: float = 0.5, memory: float = 10.0) -> None:
        self.taps = taps
        self.mu = mu
        self.memory = memory

    def reset(self) -> BlockFilter:
        """Begin anew, with the parameters as they are now."""
        if not isinstance(self.taps, (int, np.integer)) or self.taps < 1:
            raise ValueError(f"taps={self.taps!r} must be a whole number ≥ 1")
        if not 0.0 < self.mu <= 1.0:
            raise ValueError(f"mu={self.mu!r} must lie above 0, and at most at 1")
        if not self.memory >= 1.0:
            raise ValueError(f"memory={self.memory!r} must be a number of blocks ≥ 1")
        self._weights = np.zeros(self.taps + 1, complex)
        self._power = np.zeros(self.taps + 1)
        self._before = np.zeros(self.taps)
        self._gain = np.zeros(2)
        self.samples_ = 0
        return self

    def run(self, reference: ArrayLike, primary: ArrayLike) -> Filtered:
        """Filter the next samples of both signals, and learn from them.

        A block is learned from once it is whole: cut signals at multiples of ``taps`` where pieces are
        to give the same bits as all at once; the rest of a last block is filtered, not learned from.
        """
        far, near = signals(reference, primary)
        if not hasattr(self, "samples_"):
            self.reset()
        output = np.empty(len(near))
        for begin in range(0, len(near), self.taps):
            end = min(begin + self.taps, len(near))
            output[begin:end] = self._block(far[begin:end], near[begin:end])
        self.samples_ += len(near)
        return Filtered(output, near - output)

    @property
    def coef_(self) -> Array:
        """The impulse response."""
        return np.fft.irfft(self._weights, 2 * self.taps)[: self.taps]

    def _block(self, far: Array, near: Array) -> Array:
        count, taps = len(far), self.taps
        heard = np.concatenate([self._before, far, np.zeros(taps - count)])
        spectrum = np.fft.rfft(heard)
        output: Array = np.fft.irfft(spectrum * self._weights, 2 * taps)[taps : taps + count]
        gain = self._gain[0] / self._gain[1] if self._gain[1] > 0.0 else 1.0
        gain = min(max(gain, 0.0), 1.0)
        if count == taps:
            self._learn(spectrum, near - output)
            now = np.array([output @ near, output @ output])
            self._gain = self._gain + (now - self._gain) / self.memory
            self._before = far.copy()
        else:
            self._before = heard[count : count + taps].copy()
        return gain * output

    def _learn(self, spectrum: NDArray[np.complex128], error: Array) -> None:
        """W ← W + μ·F·[first taps of F⁻¹(X̄·E/P)], P the mean power of each frequency."""
        taps, power = self.taps, np.abs(spectrum) ** 2
        first = not self._power.any()
        self._power = power if first else self._power + (power - self._power) / self.memory
        level = np.maximum(self._power, power)
        level = level + FLOOR * level.mean() + 1e-300
        errors = np.fft.rfft(np.concatenate([np.zeros(taps), error]))
        step = np.fft.irfft(np.conj(spectrum) * errors / level, 2 * taps)[:taps]
        self._weights = self._weights + self.mu * np.fft.rfft(step, 2 * taps)
