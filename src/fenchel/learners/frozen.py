"""The part of a mixture to use once nothing more is learned, measured along the run.

What follows the last labels wins the next round, and may be worthless an hour later. So at rounds that
nearly double, and grow by a quarter once there are a thousand, all weights are set aside, as candidates:
those of each expert in that round, their mean with those set aside before (older ones halved each time), and
what the mixture makes of the one and of the other. They are charged with a sample of the rows up to the next
such round, as a model frozen there would be.

The last six windows, about three quarters of the stream, are all there is to tell by, and where they begin is
chance: so they are weighed anew some hundred times, and a candidate's share is how often it lost least.
Numbers of one window may be noisier than those of another: n rows with a mean loss ℓ count n·ln ℓ, as under
noise of a scale not known.
Frozen use reads the mean of the candidates by these shares, numbers or logits, which is again one set of
weights; or the mixture alone, where its share is the largest.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from fenchel._numba.undisturbed import undisturbed
from fenchel.learners.quadratic import laid_out, singles, with_fewer
from fenchel.learners.still import Still, StillBlend, read_into, with_products
from fenchel.loops.curves import BEHIND, KNOTS
from fenchel.loops.feature_pairs import is_plain
from fenchel.loops.frozen_losses import (
    ATTEND,
    BETA,
    CURVE,
    DUE,
    GOLDEN,
    HELD,
    LEAD,
    LOSS,
    SEEN,
    SQUARE,
    WEIGHT,
    Tray,
    charge_candidates,
    charge_readings,
    new_tray,
)
from fenchel.loops.waves import WAVES
from fenchel.losses.protocol import counts_of
from fenchel.parts.state import Array
from fenchel.rows import Rows

FIRST = 64  # the round of the first candidates
EARLY, GROWTH = 900, 1.25  # from one such round to the next; before EARLY only every third is one
WINDOWS = 6
LATEST = 3  # of a shard's windows that speak for the merged weights: half of its rows
# Rows of a window that are looked at: all while they are few, half of them, and no more than a number.
# Fewer choose badly where tails are heavy; more take more than a quarter of the time of learning.
FEW, HALF, SAMPLE = 256, 0.5, 4096
BATCH = 64  # of them at once: each by itself would take ten times as long
# Numbers kept as candidates: beyond them frozen use reads as the next round would.
MOST = 1 << 24
ON_TRAY = 1 << 16  # entries of single rows that wait, where a row has fewer
FURTHER = (0, KNOTS, KNOTS + WAVES)  # slots that a column has behind its products
TASKS = {"regression": 0, "binary": 1, "multiclass": 2}
DRAWS = 256
FARTHEST = 1e200  # an error counts as no larger


def next_round(rounds: int) -> int:
    """The first round after so many at which weights are set aside.

    >>> next_round(0), next_round(64), next_round(500), next_round(947)
    (64, 125, 947, 1184)
    """
    due = FIRST
    while due <= rounds:
        for _ in range(3 if due < EARLY else 1):
            due = int(np.ceil(due * GROWTH))
    return due


def sampled(rounds: int, count: int, share: float) -> Any:
    """The rows, of so many from a round on, that are looked at, where a share of them is.

    Multiples of the golden ratio spread evenly, and keep step with no hour or weekday of the data.

    >>> sampled(62, 3, 1.0), sampled(900_000, 50, 0.04)
    (array([0, 1, 2]), array([12, 46]))
    """
    return np.flatnonzero(GOLDEN * np.arange(rounds, rounds + count) % 1.0 < share)


def share_of(due: int, few: float = FEW, part: float = HALF, most: float = SAMPLE) -> float:
    """The share of rows that are looked at in the window that ends at ``due``.

    >>> [round(share_of(due), 3) for due in (80, 1280, 2560, 20_480, 204_800)]
    [1.0, 1.0, 0.5, 0.5, 0.1]
    """
    window = due * (1.0 - 1.0 / GROWTH)
    return float(min(1.0, max(few / window, min(part, most / window))))


@lru_cache(maxsize=1)
def window_weights() -> Array:
    """Draws × windows: (ln u)², u spread evenly by multiples of φ⁻¹, φ⁻², …, with φ⁷ = φ + 1.

    A Bayesian bootstrap that needs no random numbers: the same on every machine. It would draw −ln u if the
    next window were one like these; the square lets single windows decide more often, as where streams move.

    >>> np.sqrt(window_weights()).mean(axis=0).round(1)
    array([1., 1., 1., 1., 1., 1.])
    """
    root = 1.0
    for _ in range(60):
        root = (1.0 + root) ** (1.0 / (WINDOWS + 1))
    steps = root ** -np.arange(1.0, WINDOWS + 1.0)
    even = (0.5 + np.outer(np.arange(1.0, DRAWS + 1.0), steps)) % 1.0
    return np.asarray(np.log(even) ** 2)


class FrozenUse:
    """Candidates for frozen use, and what each lost in the latest windows.

    2k is expert k, 2k + 1 its mean weights; the last two are the mixture of the ones and of the others.
    With ``anchors`` there are weights of products of features, formed by them.
    """

    def __init__(
        self, experts: int, task: str, loss: Any, singly: int = 0, without_pairs: int = 0
    ) -> None:
        self.task, self.experts, self.loss = task, experts, loss
        # So many experts, the first ones, see no products around means, and no pairs.
        self.singly, self.without_pairs = singly, without_pairs
        # Slots × experts and their means × classes; the last experts may be missing, as they have retired.
        self.weights: Array | None = None
        self.anchors: Array | None = None
        self.blend: Any = None  # how the mixture blended then
        self.sums = np.zeros((WINDOWS, 4, 2 * experts))  # the present window first
        self.blended = np.zeros((WINDOWS, 2))  # what both blends lost
        self.sharp = np.zeros((3, 2 * experts))  # of classes: how sharp the margins of each are
        self.bounds = np.array([np.inf, -np.inf])
        # Of numbers: by whose shares the present window is read, and Σ h·|y − ŷ| and Σ h of that by windows.
        self.chosen = np.zeros(2 * experts + 2)
        self.errors = np.zeros((WINDOWS, 2))
        self._due = FIRST
        self._held: list[tuple[Rows, Array, Array]] = []  # rows not yet looked at
        self._waiting = 0  # how many these are
        self.tray = new_tray(0, 0)

    def due(self, rounds: int) -> int:
        """The round at which weights are set aside next."""
        if not self._due / GROWTH / GROWTH < rounds < self._due:
            self._due = next_round(rounds)
        return self._due

    def arrays(self) -> dict[str, Array]:
        """The state by name; nothing before the first candidates."""
        self._look()
        if self.weights is None:
            return {}
        own = {"weights": self.weights, "sums": self.sums, "bounds": self.bounds}
        own |= {name: getattr(self, name) for name in self._later}
        inside = {f"blend.{name}": array for name, array in self.blend.arrays().items()}
        if self.anchors is not None:
            own["anchors"] = self.anchors
        return {**own, "blended": self.blended, **inside}

    @property
    def _later(self) -> tuple[str, ...]:
        """The arrays that earlier files may lack."""
        return ("chosen", "errors") if self.task == "regression" else ("sharp",)

    def lay_in(self, arrays: dict[str, Array], blend: Any) -> None:
        """Take the state of a model file, which may have none; ``blend`` is one to lay it in."""
        if "weights" not in arrays:
            return
        weights, shapes = arrays["weights"], {"bounds": (2,)}
        shapes |= {name: getattr(self, name).shape for name in ("sums", "blended")}
        shapes |= {f"blend.{name}": array.shape for name, array in blend.arrays().items()}
        for name, shape in shapes.items():
            if name not in arrays or arrays[name].shape != shape:
                raise ValueError(f"no array 'frozen.{name}' of shape {shape}")
        if (
            weights.ndim != 3
            or not 0 < weights.shape[1] <= 2 * self.experts
            or weights.shape[1] % 2
        ):
            raise ValueError(f"array 'frozen.weights' has shape {weights.shape}")
        self.weights = np.array(weights, np.float64)
        if "anchors" in arrays:
            if arrays["anchors"].shape[1:] not in [(BEHIND + count,) for count in FURTHER]:
                raise ValueError(f"array 'frozen.anchors' has shape {arrays['anchors'].shape}")
            self.anchors = np.array(arrays["anchors"], np.float64)
        for name in self._later:
            if name in arrays:
                if arrays[name].shape != getattr(self, name).shape:
                    raise ValueError(f"array 'frozen.{name}' has shape {arrays[name].shape}")
                setattr(self, name, np.array(arrays[name], np.float64))
        for name in ("sums", "blended", "bounds"):
            setattr(self, name, np.array(arrays[name], np.float64))
        for name, array in blend.arrays().items():
            array[...] = arrays[f"blend.{name}"]
        self.blend = blend

    def copy(self) -> FrozenUse:
        """Copy the state, independent from then on."""
        first = self.singly, self.without_pairs
        twin = FrozenUse(self.experts, self.task, self.loss, *first)
        mine = self.arrays()
        if mine:
            twin.lay_in(mine, self.blend.copy())
        return twin

    def __getstate__(self) -> dict[str, Any]:
        self._clear_tray()
        kept = self.__dict__.copy()
        del kept["tray"]
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self.tray = new_tray(
            0, 0
        )  # arrays of a pickle may be mapped from a file, and not be written

    # ── merging ─────────────────────────────────────────────────────────────────────────────────

    def unite(
        self,
        others: Sequence[FrozenUse],
        start: FrozenUse,
        present: list[Array | None],
        blend: Any,
        anchors: Array | None,
    ) -> None:
        """Set the merged weights and their blend aside; what candidates lost since adds, by windows.

        Means over shards are what means along a run are for, which would lag: the latter begin anew, and
        are charged with what the last weights lost. From a start the shards have charged the merged
        candidates of the round before, which are nearer to these than those of single shards were.
        """
        told = [other for other in others if other.weights is not None]
        if not told:
            return
        found = [other.since(start) for other in told]
        if start.weights is None:  # older windows were of models farther from the merged one
            found = [(sums[:LATEST], blended[:LATEST]) for sums, blended in found]
        self.set_aside(present, blend, anchors)
        self.errors[:] = sum(other.errors for other in told)
        for sums, blended in found:
            self.sums[: len(sums)] += np.repeat(sums[:, :, ::2], 2, axis=2)
            self.blended[: len(blended)] += blended[:, :1]
        self._unite_sharpness([other.sharp for other in told])

    def _unite_sharpness(self, found: list[Array]) -> None:
        """β in the mean, by curvature; the means along the runs have that of the last weights."""
        curve = np.maximum(sum(sharp[CURVE] for sharp in found), 1e-300)
        beta = sum(sharp[CURVE] / curve * sharp[BETA] for sharp in found)
        both = np.array([beta, curve, sum(sharp[SEEN] for sharp in found)])
        self.sharp = np.where(both[SEEN] > 0.0, both, 0.0)
        self.sharp[:, 1::2] = self.sharp[:, ::2]

    def since(self, start: FrozenUse) -> tuple[Array, Array]:
        """What candidates, and both blends, lost in the windows since the start, the present one first."""
        self._look()
        new = WINDOWS
        if start.weights is not None:
            start._look()
            counts = range(1, WINDOWS)
            same = (np.array_equal(self.sums[n:], start.sums[1 : 1 + WINDOWS - n]) for n in counts)
            new = next((n for n, found in zip(counts, same, strict=True) if found), WINDOWS)
        sums, blended = self.sums[:new].copy(), self.blended[:new].copy()
        if new < WINDOWS:  # the window in which the start was has gone on
            sums[-1] -= start.sums[0]
            blended[-1] -= start.blended[0]
        return sums, blended

    def judge(self, rows: Rows, y: Array) -> None:
        """Charge the candidates with these rows, and with nothing that came before.

        What shards' own candidates lost says little of merged ones, which have learned many times as much.
        """
        self._look()
        self.sums[:], self.blended[:] = 0.0, 0.0
        self._hold(rows, y, np.ones(len(y)))
        self._look()

    # ── along the run ───────────────────────────────────────────────────────────────────────────

    def see(self, rounds: int, rows: Rows, y: Array, importance: Array) -> None:
        """Take a sample of rows that the candidates have not seen, the first in so many rounds."""
        self._unsettle()
        if self.weights is None:
            return
        if len(rows) == 1:  # which need not be looked for among others
            if GOLDEN * rounds % 1.0 < share_of(self.due(rounds)):
                self._hold(rows.copy(), y.copy(), importance[:1].copy())
            return
        chosen = sampled(rounds, len(rows), share_of(self.due(rounds)))
        if len(chosen):
            amounts = np.broadcast_to(importance, len(rows))[chosen]
            self._hold(rows.take(chosen), y[chosen], amounts)

    def tray_for(self, entries: int) -> Tray:
        """Room for single rows of up to so many entries, which compiled code puts there."""
        self._clear_tray()
        room = max(2 * entries, min(BATCH * entries, ON_TRAY))
        self.tray = new_tray(BATCH, room)
        return self.tray

    def before_row(self, rounds: int) -> None:
        """Make known to the tray, which is empty or not, what becomes of the next single row."""
        due = self.due(rounds)
        self.tray.counts[DUE], self.tray.counts[ATTEND] = due, rounds + 1 >= due
        self.tray.share[0] = 0.0 if self.weights is None else share_of(due)

    def after_row(self) -> None:
        """Look at the rows that wait once there are some."""
        self._unsettle()
        self._clear_tray()
        if self._waiting >= BATCH:
            self._look()

    def _clear_tray(self) -> None:
        """Let the rows of the tray wait with the others."""
        held = int(self.tray.counts[HELD])
        if not held:
            return
        ends = self.tray.indptr[: held + 1].copy()
        indices, values = (array[: ends[-1]].copy() for array in self.tray[1:3])
        rows, y = Rows.sparse(ends, indices, values), self.tray.y[:held].copy()
        with undisturbed:
            self._held.append((rows, y, np.ones(held)))
            self._waiting += held
            self.tray.counts[HELD] = 0

    def _unsettle(self) -> None:
        """Have the tray told anew before the next single row."""
        self.tray.counts[ATTEND] = 1

    def _hold(self, rows: Rows, y: Array, importance: Array) -> None:
        """Let rows wait until there are some."""
        self._clear_tray()
        self._held.append((rows, y, importance))
        self._waiting += len(y)
        if self._waiting >= BATCH:
            self._look()

    def _look(self) -> None:
        """Charge the candidates with the rows that wait, in their order."""
        self._unsettle()
        self._clear_tray()
        if not self._held or self.weights is None:
            return
        several, labels, amounts = zip(*self._held, strict=True)
        self._held, self._waiting = [], 0
        rows, y, importance = Rows.concatenate(several), *map(np.concatenate, (labels, amounts))
        rows = with_products(rows, self.anchors)
        use = TASKS[self.task], self.loss
        margins = np.zeros((2 * self.experts, len(rows), self.weights.shape[2]))
        present = margins[: self.weights.shape[1]]
        further = 0 if self.anchors is None else self.anchors.shape[1] - BEHIND
        read_into(present, self.weights, rows, self._first(), further)
        held = self.bounds, float(self.sums[1:, WEIGHT, 0].sum())
        charge_candidates(present, y, importance, *use, *held, self.sums[0], self.sharp)
        blended = []
        for which in (0, 1):
            found = self.blend.read_labels(np.ascontiguousarray(margins[which::2]))
            readings = found if found.ndim == 2 else found[:, None]
            lost = self.blended[0, which : which + 1]
            charge_readings(readings, y, importance, *use, lost)
            blended.append(readings[:, 0])
        if self.task == "regression" and self.chosen.any():
            self._charge_reading(np.concatenate([margins[:, :, 0], blended]), y, importance)

    def _charge_reading(self, candidates: Array, y: Array, importance: Array) -> None:
        """Count how far the chosen reading is off; row by row, so that no cut of a stream shows."""
        said = np.zeros(len(y))
        for c in np.flatnonzero(self.chosen).tolist():
            said += self.chosen[c] * candidates[c]
        with np.errstate(over="ignore"):
            far = np.minimum(np.abs(y - np.clip(said, *self.bounds)), FARTHEST)
        for amount, error in zip(importance.tolist(), far.tolist(), strict=True):
            self.errors[0] += amount * error, amount

    def _first(self) -> int:
        """The first candidate that sees products, where some do."""
        if self.anchors is None:
            return 0
        return 2 * (self.without_pairs if is_plain(self.anchors) else self.singly)

    def forget(self) -> None:
        """Do without candidates: frozen use reads as the next round would."""
        self._look()
        self.weights = None

    def _laid_for(self, anchors: Array | None) -> Array | None:
        """The weights in the slots that go with these anchors: some experts may have retired."""
        if self.weights is None or (self.anchors is None and anchors is None):
            return self.weights
        further = 0 if self.anchors is None else self.anchors.shape[1] - BEHIND
        same = is_plain(self.anchors) == is_plain(anchors)
        if anchors is not None and self.anchors is not None and same:
            return with_fewer(self.weights, further, anchors.shape[1] - BEHIND)
        alone = self.weights if self.anchors is None else singles(self.weights, further)
        if anchors is None:
            return alone
        shape = alone.shape[1:]
        return laid_out(alone.reshape(len(alone), -1), len(alone) - 1).reshape(-1, *shape)

    def are_too_many(self, columns: int, experts: int) -> bool:
        """Whether the weights of so many columns would be more than are kept: they need not be read."""
        return columns * 2 * experts > MOST

    def set_aside(self, present: list[Array | None], blend: Any, anchors: Array | None) -> None:
        """Begin a window with the weights of this round, and their mean with those before.

        ``present`` has one array an expert, slots × classes; None for one that has retired.
        """
        self._look()
        if self.task == "regression":
            chosen = self.shares(blend.active)
            self.chosen = np.zeros_like(self.chosen) if chosen is None else chosen
        self.weights, self.anchors = self._laid_for(anchors), anchors
        shapes = [w.shape for w in present if w is not None]
        slots, classes = (max(sizes) for sizes in zip(*shapes, strict=True))
        if slots * classes * 2 * len(shapes) > MOST:
            self.weights = None
            return
        self.weights = _both(present, self.weights, slots, classes)
        for losses in (self.sums, self.blended, self.errors):
            losses[1:] = losses[:-1].copy()
            losses[0] = 0.0
        self.sharp[CURVE] *= 0.5  # weights of before are not quite these
        self.blend = blend.still()
        self.bounds[:] = blend.bounds

    # ── in use ──────────────────────────────────────────────────────────────────────────────────

    def shares(self, active: list[int]) -> Array | None:
        """How much each candidate counts: some, or a mixture alone; None before any is known."""
        self._look()
        if self.weights is None or not self.sums[:, WEIGHT].any():
            return None
        single = np.array([c for k in active for c in (2 * k, 2 * k + 1)])
        both = 2 * self.experts + np.arange(2)
        found = self._shares_of(np.concatenate([single, both]))
        if found.argmax() >= both[0]:
            return np.asarray((np.arange(len(found)) == found.argmax()) * 1.0)
        return self._shares_of(single)

    def _shares_of(self, allowed: Any) -> Array:
        """How often each of these lost least, the windows weighed anew each time."""
        least = allowed[(window_weights() @ self._lost()[:, allowed]).argmin(axis=1)]
        return np.asarray(np.bincount(least, minlength=2 * self.experts + 2) / DRAWS)

    def _lost(self) -> Array:
        """What each candidate lost in each window: sums of mistakes or losses of counts, n·ln ℓ of others."""
        lost = np.concatenate([self.sums[:, LOSS], self.blended], axis=1)
        if self.task != "regression" or counts_of(self.loss):
            return lost
        rows = self.sums[:, WEIGHT, :1]
        return np.asarray(rows * np.log(np.maximum(lost / np.maximum(rows, 1e-300), 1e-300)))

    def mean_error(self) -> float | None:
        """The mean of |y − ŷ| over the latest windows, read as frozen where each began; None of few rows."""
        self._look()
        total, rows = self.errors.sum(axis=0)
        return float(total / rows) if rows >= FIRST else None

    def losses(self) -> Array:
        """The mean loss of each candidate over the latest windows, as ``AdaHedge`` is charged."""
        self._look()
        total = self.sums.sum(axis=0)
        lost = np.append(total[LOSS], self.blended.sum(axis=0))
        return np.asarray(lost / max(total[WEIGHT, 0], 1e-300))

    def sharpness(self, candidate: int) -> float:
        """β of the probabilities ∝ exp(β·m), by the log loss of the rows that were looked at.

        Of few rows 2·mean/variance of the lead, as between two Gaussians.
        """
        total = self.sums.sum(axis=0)[:, candidate]
        mean, square = total[LEAD] / total[WEIGHT], total[SQUARE] / total[WEIGHT]
        variance = max(square - mean * mean, 1e-12 * square, 1e-300)
        least = 1e-3 / np.sqrt(max(square, 1e-300))  # a margin keeps its sign, whatever the past
        if self.sharp[SEEN, candidate] >= FIRST:
            return float(min(max(self.sharp[BETA, candidate], least), 1e100))
        return float(min(max(2.0 * mean / variance, least), 1e100))

    def reading(
        self, shares: Array, present: list[Array | None], blend: Any, anchors: Array | None
    ) -> Any:
        """The reading for frozen use, from the weights and the blend of this round.

        ``present`` need not have the weights of experts without a share, unless a mixture has one.
        """
        shapes = [w.shape for w in present if w is not None]
        slots, classes = (max(sizes) for sizes in zip(*shapes, strict=True))
        before = self._laid_for(anchors)
        which = shares[-2:]
        if which.any():
            whole = _of_all(_both(present, before, slots, classes), 2 * self.experts)
            mine = np.ascontiguousarray(whole[:, int(which.argmax()) :: 2])
            return StillBlend(mine, blend.still(), anchors)
        counted = np.flatnonzero(shares).tolist()
        alone = len(counted) == 1
        mine = np.zeros((slots, 1, classes))
        for c in counted:
            own = None if before is None else before[:, c - c % 2 : c - c % 2 + 2]
            both = _both(present[c // 2 : c // 2 + 1], own, slots, classes)
            factor = 1.0 if alone or self.task == "regression" else self.sharpness(c)
            mine[: len(both), 0] += shares[c] * factor * both[:, c % 2]
        sharpness = self.sharpness(counted[0]) if alone else 1.0
        return Still(self.task, mine, sharpness, blend.bounds.copy(), anchors, self.surest())

    def surest(self) -> float:
        """The logit beyond which the rows that were looked at say little: n have seen no odds beyond n."""
        if not self.sharp[SEEN].any():  # an earlier file, which predicts as it did
            return np.inf
        return float(np.log1p(self.sums[:, WEIGHT, 0].sum()))


def _both(present: list[Array | None], before: Array | None, slots: int, classes: int) -> Array:
    """The weights of each expert, and beside them their mean with those before; 0 for a retired one.

    Those after the last that is on are left out.
    """
    count = 1 + max(k for k, w in enumerate(present) if w is not None)
    new = np.zeros((slots, 2 * count, classes))
    for k, w in enumerate(present[:count]):
        if w is not None:
            new[: w.shape[0], 2 * k, : w.shape[1]] = new[: w.shape[0], 2 * k + 1, : w.shape[1]] = w
    if before is not None:  # what came since had weight 0 then
        new[:, 1::2] *= 0.5
        new[: before.shape[0], 1::2, : before.shape[2]] += 0.5 * before[:, 1 : 2 * count : 2]
    used = np.flatnonzero(new.any(axis=(1, 2)))
    return new[: used[-1] + 1 if len(used) else 1]  # the same, however early room was made


def _of_all(weights: Array, count: int) -> Array:
    """The weights with those of so many candidates, 0 where they are missing."""
    if weights.shape[1] >= count:
        return weights
    whole = np.zeros((weights.shape[0], count, weights.shape[2]))
    whole[:, : weights.shape[1]] = weights
    return whole
