"""AdaptiveFilter: a learner of regression that runs along a signal."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from fenchel import learners, models
from fenchel.certificates import Certificate
from fenchel.learners import storage
from fenchel.learners.catalogue import parameters_of
from fenchel.learners.learner import Learner
from fenchel.learners.specification import name_of, parse
from fenchel.parts.state import Array
from fenchel.rows import validate

# More numbers than this a row cannot have.
MOST_TAPS = 1 << 20
# Numbers of lagged rows that exist at a time.
BLOCK = 65_536
# So many times its taps a filter has to learn before it is blamed.
SETTLED = 10
# Times the energy of the signal that may be left before it is said, one decibel; while a filter learns,
# taps/samples more.
LOUDER = 1.25

# What ``auto`` mixes, and up to how many taps it keeps matrices.
STEPS = (
    "lms:eta=1e-300",  # silent, whatever the signal
    "p_norm_lms",
    "p_norm_lms:half_life=100000",
    "normalized_lms:eta=0.002",
    "normalized_lms:eta=0.01",
    "normalized_lms:eta=0.05",
    "normalized_lms:eta=0.2",
    "normalized_lms:eta=1",
)
SQUARES = (
    "recursive_least_squares",
    "recursive_least_squares:half_life=300",
    "recursive_least_squares:half_life=3000",
    "vovk_azoury_warmuth",
)
MOST_SQUARES = 100


def filter_mixture(taps: int) -> Learner:
    """Return the mixture of filters that suits so many taps."""
    chosen = STEPS + (SQUARES if taps <= MOST_SQUARES else ())
    made = []
    for text in chosen:
        name, parameters = parse(text)
        made.append(learners.from_parameters(name, {"intercept": False, **parameters}))
    return learners.hedge(made)


class Filtered(NamedTuple):
    """The output of a filter: its prediction of the primary signal, and what was left of it."""

    output: Array
    error: Array


class LaggedRows:
    """The pairs (rows, primary) of two signals, block by block: x_t = (r_{t−delay}, …), newest first.

    ``history`` holds the samples before the first, as many as a row reaches back.
    """

    def __init__(
        self, history: Array, reference: Array, primary: Array, taps: int, delay: int
    ) -> None:
        self.samples = np.concatenate([history, reference])
        self.primary = primary
        self.taps = taps
        self.reach = taps + delay - 1

    def __iter__(self) -> Iterator[tuple[Array, Array]]:
        if len(self.primary) == 0:
            return
        rows = sliding_window_view(self.samples[: len(self.primary) + self.taps - 1], self.taps)
        step = max(1, BLOCK // self.taps)
        for begin in range(0, len(self.primary), step):
            piece = slice(begin, begin + step)
            yield np.ascontiguousarray(rows[piece, ::-1]), self.primary[piece]

    @property
    def history(self) -> Array:
        """The samples that the next row reaches back to."""
        return self.samples[len(self.samples) - self.reach :].copy()


def _warn_of_divergence(output: Array, primary: Array) -> bool:
    """Warn where a filter has left the range of its signal for good; whether it has."""
    lost = np.abs(output) > 1e100 * (1.0 + np.abs(primary).max(initial=0.0))
    if lost.any():
        warnings.warn(
            f"the filter diverged: at sample {int(lost.argmax())} its output is "
            f"{output[lost.argmax()]:.3g}; take a smaller eta, or p_norm_lms, which needs none",
            RuntimeWarning,
            stacklevel=3,
        )
    return bool(lost.any())


class AdaptiveFilter(BaseEstimator):  # type: ignore[misc]
    """A filter that learns while it runs: the primary signal predicted from the reference's past.

    At time t the output is ⟨w_t, x_t⟩ with x_t = (r_{t−delay}, …, r_{t−delay−taps+1}), zero before
    the start, and the error is what is left of the primary sample, which only then is learned
    from. Calls continue each other: signals in pieces give the same bits as in one.

    Parameters
    ----------
    learner
        A learner of regression, or its specification as text; a text without ``intercept`` has
        none. The default, ``p_norm_lms``, finds the level of its input by itself;
        ``recursive_least_squares`` and ``vovk_azoury_warmuth`` solve for the best filter so far;
        ``lms`` and ``normalized_lms`` have a step to choose. ``auto`` runs all of them, and a silent
        one, and mixes their outputs: with nothing to choose it is as good as the best of them.
    taps
        The length of the filter.
    delay
        How old the newest sample is that the filter sees: 0 for echo or noise cancelling and
        identification, 1 to predict a signal from its own past.

    Attributes
    ----------
    learner_
        The learner, for streams.
    samples_
        How many samples were filtered.

    Examples
    --------
    >>> import numpy as np
    >>> reference = np.random.default_rng(0).standard_normal(5000)
    >>> echo = np.convolve(reference, [0.0, 0.5, -0.2])[:5000]
    >>> cancelling = AdaptiveFilter(taps=4)
    >>> output, error = cancelling.run(reference, echo)
    >>> bool(np.mean(error[-1000:] ** 2) < 1e-6 * np.mean(echo**2))
    True
    >>> cancelling.coef_.round(3) + 0.0
    array([ 0. ,  0.5, -0.2,  0. ])
    """

    learner_: Learner
    history_: Array
    samples_: int
    energy_: Array  # of the primary signal, of what was left of it, and of how many samples
    warned_: bool

    def __init__(self, learner: Any = "p_norm_lms", *, taps: int = 32, delay: int = 0) -> None:
        self.learner = learner
        self.taps = taps
        self.delay = delay

    def run(self, reference: ArrayLike, primary: ArrayLike) -> Filtered:
        """Filter the next samples of both signals, and learn from them.

        A sample that is not finite is refused with its place, and nothing is learned.
        """
        pair = signals(reference, primary)
        if not hasattr(self, "learner_"):
            self.reset()
        rows = LaggedRows(self.history_, *pair, self.taps, self.delay)
        outputs = [self.learner_.learn_many(X, y) for X, y in rows]
        self.history_ = rows.history
        self.samples_ += len(pair[1])
        output = np.concatenate([np.zeros(0), *outputs])
        self._count_energy(pair[1], output)
        if not _warn_of_divergence(output, pair[1]):
            self._warn_of_amplifying()
        return Filtered(output, pair[1] - output)

    def _count_energy(self, primary: Array, output: Array) -> None:
        """Add up the energy of the primary signal, that of what was left of it, and the samples."""
        with np.errstate(over="ignore", invalid="ignore"):
            left = primary - output
            self.energy_ = self.energy_ + np.array([primary @ primary, left @ left, len(primary)])

    def _warn_of_amplifying(self) -> None:
        """Warn once where clearly more is left than the primary signal, all samples counted."""
        silent, left, samples = self.energy_.tolist()
        if self.warned_ or samples < SETTLED * self.taps:
            return
        if left > (LOUDER + self.taps / samples) * silent:
            self.warned_ = True
            times = left / silent if silent else np.inf
            warnings.warn(
                f"the filter makes its signal louder: {times:.3g} times the energy is left; take a "
                "smaller eta, p_norm_lms, which needs none, or auto, which is silent where that is better",
                RuntimeWarning,
                stacklevel=3,
            )

    def reset(self) -> AdaptiveFilter:
        """Begin anew, with the parameters as they are now."""
        self._check_lengths()
        self.learner_ = self._new_learner()
        self.history_ = np.zeros(self.taps + self.delay - 1)
        self.samples_ = 0
        self.energy_, self.warned_ = np.zeros(3), False
        return self

    @property
    def coef_(self) -> Array:
        """The impulse response: coef_[k] weighs the reference k + delay samples ago."""
        if not hasattr(self, "learner_"):
            raise AttributeError("coef_ comes with the first run")
        weights = self.learner_.weights()
        return np.concatenate([weights, np.zeros(self.taps - len(weights))])

    # ── guarantees ──────────────────────────────────────────────────────────────────────────────

    def regret(self, u: ArrayLike, reference: ArrayLike, output: ArrayLike) -> float:
        """Σ (⟨w_t, x_t⟩ − ⟨u, x_t⟩)²: how far the output was from that of a known filter u.

        ``reference`` and ``output`` are those of a run from its start.
        """
        signal, out = signals(reference, output)
        known = np.convolve(np.concatenate([np.zeros(self.delay), signal]), self._known(u))
        return float(np.sum((out - known[: len(out)]) ** 2))

    def certificates(
        self, u: ArrayLike, reference: ArrayLike, primary: ArrayLike
    ) -> list[Certificate]:
        """Measure both sides of every inequality that covers this run, against a known filter u.

        Among them, for the LMS family, the regret Σ(⟨w_t, x_t⟩ − ⟨u, x_t⟩)² and its bound
        2·X_T²·f(u) + Σ(y_t − ⟨u, x_t⟩)² (Section 4). The signals are those filtered since the
        start, once more; the learner is made with ``certify=True``.

        >>> import numpy as np
        >>> reference = np.random.default_rng(0).standard_normal(500)
        >>> system = AdaptiveFilter("p_norm_lms:certify=yes", taps=2)
        >>> primary = np.convolve(reference, [1.0, 0.5])[:500]
        >>> _ = system.run(reference, primary)
        >>> found = system.certificates([1.0, 0.5], reference, primary)
        >>> [c.equation for c in found if c.theorem == "Adaptive filtering" and c.holds]
        ['Section 4']
        """
        if not hasattr(self, "learner_"):
            raise ValueError("this filter has not run yet: there is nothing to certify")
        pair = signals(reference, primary)
        if len(pair[1]) != self.samples_:
            raise ValueError(
                f"the signals have {len(pair[1])} samples, the filter has run over "
                f"{self.samples_}: give the same ones, from the start"
            )
        silence = np.zeros(self.taps + self.delay - 1)
        rows = LaggedRows(silence, *pair, self.taps, self.delay)
        return self.learner_.certificates(self._known(u), rows)

    def _known(self, u: ArrayLike) -> Array:
        """A known filter as long as this one."""
        filter = validate.as_values(u, "u")
        if filter.ndim != 1 or len(filter) > self.taps:
            raise ValueError(f"u has shape {filter.shape}: give at most {self.taps} numbers, taps=")
        return np.concatenate([filter, np.zeros(self.taps - len(filter))])

    # ── keeping it ──────────────────────────────────────────────────────────────────────────────

    def save(self, path: str | PathLike[str]) -> None:
        """Write the filter to one safe file, with the samples that it still remembers."""
        if not hasattr(self, "learner_"):
            self.reset()
        kept = {"filter.history": self.history_, "filter.energy": self.energy_}
        told = {"taps": self.taps, "delay": self.delay, "samples": self.samples_}
        storage.save(self.learner_, path, kept, {"filter": told})

    @classmethod
    def load(cls, path: str | PathLike[str]) -> AdaptiveFilter:
        """Load a filter that was saved, ready for its next sample."""
        arrays, metadata = models.read(path)
        if "block_filter" in metadata:
            raise models.ModelRefused(f"{path}: a block filter; use BlockFilter.load")
        learner = Learner.load(path)
        if "filter" not in metadata:
            raise models.ModelRefused(f"{path}: a learner, not a filter; use Learner.load")
        told, history = metadata["filter"], arrays.get("filter.history")
        energy = arrays.get("filter.energy", np.zeros(3))  # older files have none
        try:
            filter = cls(learner.fresh(), taps=told["taps"], delay=told["delay"])
            filter._check_lengths()
            filter._check_kept(learner, history, energy, told["samples"])
        except (KeyError, TypeError, ValueError) as error:
            what = " ".join(str(error).split())
            raise models.ModelRefused(
                f"{path}: {what:.200}; it cannot be loaded as it is"
            ) from None
        filter.learner_, filter.samples_ = learner, told["samples"]
        filter.history_ = np.array(history, np.float64)
        filter.energy_, filter.warned_ = np.array(energy, np.float64), False
        return filter

    # ── inside ──────────────────────────────────────────────────────────────────────────────────

    def _check_lengths(self) -> None:
        for name, value, least in (("taps", self.taps, 1), ("delay", self.delay, 0)):
            whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
            if not whole or not least <= value <= MOST_TAPS:
                what = f"must be a whole number from {least} to {MOST_TAPS}"
                raise ValueError(f"{name}={value!r:.60} {what}")

    def _check_kept(self, learner: Learner, history: Any, energy: Any, samples: Any) -> None:
        """Raise for what no filter of these lengths has kept."""
        shape = (self.taps + self.delay - 1,)
        if history is None or history.shape != shape or not np.isfinite(history).all():
            raise ValueError(f"no array 'filter.history' of shape {shape}")
        if energy.shape != (3,) or not (energy >= 0.0).all():
            raise ValueError("its array 'filter.energy' is not three numbers from 0 on")
        if type(samples) is not int or samples < 0 or learner.columns > self.taps:
            raise ValueError(f"its samples or columns do not fit {self.taps} taps")

    def _new_learner(self) -> Learner:
        if isinstance(self.learner, Learner):
            learner = self.learner.fresh()
        elif self.learner == "auto":
            learner = filter_mixture(self.taps)
        elif "intercept" in parameters_of(name_of(self.learner)):
            name, parameters = parse(self.learner)
            learner = learners.from_parameters(name, {"intercept": False, **parameters})
        else:
            learner = learners.from_specification(self.learner)
        if learner.task != "regression":
            raise ValueError(
                f"learner={learner!r} is for {learner.task}: a filter needs regression"
            )
        return learner


def signals(reference: ArrayLike, primary: ArrayLike) -> tuple[Array, Array]:
    """Two signals of one length, finite."""
    found = []
    for name, signal in (("reference", reference), ("primary", primary)):
        samples = validate.as_values(signal, name).astype(np.float64, copy=False)
        if samples.ndim != 1:
            raise ValueError(f"{name} has {samples.ndim} dimensions: give one sample after another")
        validate.refuse(samples, name, ~np.isfinite(samples), "finite")
        found.append(samples)
    if len(found[0]) != len(found[1]):
        raise ValueError(
            f"reference has {len(found[0])} samples, primary {len(found[1])}: give as many of both"
        )
    return found[0], found[1]
