"""Large text files of the same rows as svmlight and as Vowpal Wabbit's text, written fast.

Rows follow ``benchmarks.speed.text_like``: 63 columns with the heavy tail of text, values of four
digits, labels from hidden weights with noise. Every block has a seed of its own: no row repeats.
"""

from pathlib import Path

import numba
import numpy as np

BLOCK = 50_000
ENTRIES = 63
COLUMNS = 47_000


@numba.njit(cache=False)
def _put_number(out, at, number):
    digits = 1
    while number >= 10**digits:
        digits += 1
    for k in range(digits):
        out[at + digits - 1 - k] = 48 + number % 10
        number //= 10
    return at + digits


@numba.njit(cache=False)
def _put_rows(out, indices, values, labels, bar, base):
    """The rows as text: 'label j:0.dddd …', with ' |f' after the label for Vowpal Wabbit."""
    at = 0
    for t in range(labels.shape[0]):
        if labels[t] < 0:
            out[at] = 45
            at += 1
        out[at] = 49
        at += 1
        for k in range(bar.shape[0]):
            out[at + k] = bar[k]
        at += bar.shape[0]
        for k in range(indices.shape[1]):
            out[at] = 32
            at = _put_number(out, at + 1, indices[t, k] + base)
            out[at], out[at + 1], out[at + 2] = 58, 48, 46
            at += 3
            number = values[t, k]
            for place in range(4):
                out[at + 3 - place] = 48 + number % 10
                number //= 10
            at += 4
        out[at] = 10
        at += 1
    return at


def _block(seed: int, hidden):
    rng = np.random.default_rng(seed)
    picks = np.sort(np.exp(rng.random((BLOCK, ENTRIES)) * np.log(COLUMNS)) - 1, axis=1)
    indices = picks.astype(np.int64) + np.arange(ENTRIES)
    values = rng.integers(1, 10_000, (BLOCK, ENTRIES))
    margins = (values * 1e-4 * hidden[indices]).sum(1)
    return indices, values, np.sign(margins + rng.standard_normal(BLOCK))


def write_pair(svmlight: Path, vowpal: Path, size: int) -> None:
    """Write the two files until the svmlight one has ``size`` bytes."""
    hidden = np.random.default_rng(0).standard_normal(COLUMNS + ENTRIES)
    out = np.empty(BLOCK * (ENTRIES * 16 + 16), dtype=np.uint8)
    no_bar, bar = np.zeros(0, np.uint8), np.frombuffer(b" |f", dtype=np.uint8)
    with svmlight.open("wb") as ours, vowpal.open("wb") as theirs:
        seed = 1
        while ours.tell() < size:
            indices, values, labels = _block(seed, hidden)
            for file, lead, base in ((ours, no_bar, 1), (theirs, bar, 0)):
                end = _put_rows(out, indices, values, labels, lead, base)
                file.write(out[:end].tobytes())
            seed += 1
