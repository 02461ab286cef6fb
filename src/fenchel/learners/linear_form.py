"""A learner as plain arithmetic: products with weights, and a short rule that makes predictions of them.

That is what a model can be taken elsewhere by, and explained by. With m_{k,c} = ⟨w_{k,c}, x⟩ of expert k
for output c (of two classes in a vote: −m and m), to which pairs of columns add where it sees products,
Σ q·(x_i − centre_i)·(x_j − centre_j), ramps of single columns where it sees curves, Σ r·ramp(x_j), and waves
over several where it sees these, the rules are

    single    the only expert's margins; a number held inside the targets seen
    mean      Σ_k v_k·m_k, each held inside the targets seen
    vote      Σ_k v_k·1[expert k is for c]
    combined  q_0·(the vote) + q_1·1[c has the largest Σ_k b_k·s_{k,c}], where s is m over the mean size
              of the expert's margins, (size_k + mean_c |m_{k,c}|)/(rounds + 1), held in [−1, 1]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fenchel.learners.engine import Engine
from fenchel.learners.interval import Interval
from fenchel.learners.mixture import Mixture
from fenchel.learners.quadratic import FeaturePairs, FeatureRamps, around_mean, ramps
from fenchel.learners.still import Still, StillBlend, as_columns, margins_of, tempered
from fenchel.learners.wave_terms import FeatureWaves, waves
from fenchel.loops.adahedge import shares_now
from fenchel.loops.coin_stacking import STEEPEST
from fenchel.parts.state import Array
from fenchel.rows import Rows

TOLERANCE = 1e-9
PROBED = 64  # columns that are tried


class NotLinearError(ValueError):
    """A model whose predictions are no such arithmetic: what it is, and what to do."""


@dataclass(frozen=True)
class LinearForm:
    """The ingredients of predictions; ``weights`` are slots × experts × outputs, the intercept's first."""

    task: str
    weights: Array
    rule: str = "single"
    shares: Array | None = None  # v, one an expert
    bounds: tuple[float, float] | None = None  # of numbers
    sharpness: float | None = None  # probabilities are ∝ exp(sharpness·m)
    surest: float = np.inf  # of what is beyond it in sharpness·m the logarithm counts
    bets: Array | None = None  # b
    sizes: Array | None = None
    rounds: float = 0.0
    choice: tuple[float, float] = (1.0, 0.0)  # q
    is_exact: bool = True  # whether the model itself predicts so
    pairs: FeaturePairs | None = None
    ramps: FeatureRamps | None = None
    waves: FeatureWaves | None = None

    def margins(self, rows: Rows) -> Array:
        """The margins of each expert, by row and output."""
        margins = margins_of(self.weights, rows)
        for more in (self.pairs, self.ramps, self.waves):
            if more is not None:
                margins = margins + more.margins(rows)
        return margins

    def scores(self, rows: Rows) -> Array:
        """The scores of each row: a number, the margin of two classes, or one for each class."""
        margins = self.margins(rows)
        if self.rule == "single":
            found: Array = margins[0] if self.bounds is None else np.clip(margins[0], *self.bounds)
            return found if found.shape[1] > 1 else found[:, 0]
        assert self.shares is not None
        if self.rule == "mean":
            assert self.bounds is not None
            return np.asarray(self.shares @ np.clip(margins[:, :, 0], *self.bounds))
        votes = np.zeros(margins.shape[1:])
        at = np.arange(margins.shape[1])
        for share, own in zip(self.shares, margins, strict=True):
            votes[at, np.argmax(own, axis=1)] += share
        if self.rule == "vote":
            return votes
        assert self.bets is not None
        assert self.sizes is not None
        mean = (self.sizes[:, None] + np.abs(margins).mean(axis=2)) / (self.rounds + 1.0)
        scale = np.where(mean > 0.0, mean, 1.0)[:, :, None]
        logits = np.einsum("k,ktc->tc", self.bets, np.clip(margins / scale, -1.0, 1.0))
        highest = logits == logits.max(axis=1, keepdims=True)
        likeliest = np.argmax(np.where(highest, votes, -1.0), axis=1)
        votes *= self.choice[0]
        votes[at, likeliest] += self.choice[1]
        return votes


def linear_form(learner: Any, last_weights: bool = False) -> LinearForm:
    """Return the arithmetic of a learner's frozen predictions, or raise ``NotLinearError``.

    Many learners predict with an f_t that already includes the row, as the next round would see it. Of
    these ``last_weights`` gives ⟨w, x⟩ with the weights as they stand.
    """
    engine = learner.engine.inner if isinstance(learner.engine, Interval) else learner.engine
    if engine.rounds == 0 and learner.rounds == 0:
        raise NotLinearError("the model has learned nothing; train it first")
    form = _of_mixture(engine) if isinstance(engine, Mixture) else _of_weights(engine)
    if _agree(engine, form):
        return form
    if last_weights:
        return replace(form, is_exact=False)
    raise NotLinearError(
        f"{learner.name} predicts as its next round would, where the row itself counts: that is not "
        "⟨w, x⟩; ask for its last weights (--weights), or train `auto`"
    )


def single_form(learner: Any) -> LinearForm:
    """Return one weight vector an output that stands for the learner: its own, or its best expert's."""
    form = linear_form(learner, last_weights=True)
    if form.rule == "single" and form.sharpness is not None:  # margins that are logits
        sharpness = form.sharpness
        return replace(_changed(form, lambda w: sharpness * w), sharpness=1.0)
    if form.rule == "single":
        return form
    if form.rule == "mean":
        shares: Any = form.shares
        mixed = _changed(form, lambda w: np.asarray(np.einsum("k,skc->sc", shares, w)[:, None]))
        return replace(mixed, rule="single", shares=None, bounds=None, is_exact=False)
    weights = as_columns(learner.engine.weights())
    return LinearForm(form.task, weights[:, None], is_exact=False)


def _changed(form: LinearForm, change: Callable[[Array], Array]) -> LinearForm:
    """The form with all weights changed, those of pairs, ramps and waves too."""
    pairs = form.pairs and form.pairs._replace(weights=change(form.pairs.weights))
    bends = form.ramps and form.ramps._replace(weights=change(form.ramps.weights))
    swings = form.waves and form.waves._replace(weights=change(form.waves.weights))
    return replace(form, weights=change(form.weights), pairs=pairs, ramps=bends, waves=swings)


def _of_weights(engine: Engine) -> LinearForm:
    return LinearForm(engine.task, np.ascontiguousarray(as_columns(engine.weights())[:, None]))


def terms_form(task: str, still: Still | StillBlend) -> LinearForm:
    """Return the weights of all experts, and the pairs, ramps and waves of those that see more."""
    if still.anchors is None:
        return LinearForm(task, still.weights)
    start, bent = ramps(still.weights, still.anchors)
    weights, found = around_mean(still.weights, still.anchors)
    weights[0] += start
    return LinearForm(
        task,
        weights,
        pairs=found if len(found.first) else None,
        ramps=bent if len(bent.column) else None,
        waves=waves(still.weights, still.anchors),
    )


def _of_mixture(engine: Mixture) -> LinearForm:
    still = engine.still()
    if not isinstance(still, Still | StillBlend):
        still = engine.still_blend()
    form = terms_form(engine.task, still)
    if isinstance(still, Still):
        held = engine.task == "regression"
        bounds = (float(still.bounds[0]), float(still.bounds[1])) if held else None
        sharpness = None if held else still.sharpness
        return replace(form, bounds=bounds, sharpness=sharpness, surest=still.surest)
    blend = still.blend
    shares = shares_now(blend.hedge)
    if engine.task == "regression":
        if blend.combination is not None:
            raise NotLinearError(
                f"{engine.name} corrects its numbers by the last target, which no file has; train "
                "more rounds (auto: 64), or hedge without combined=yes"
            )
        bounds = (float(blend.bounds[0]), float(blend.bounds[1]))
        return replace(form, rule="mean", shares=shares, bounds=bounds)
    form = replace(form, rule="vote", shares=shares)
    if engine.task == "binary":
        form = _changed(form, lambda w: np.concatenate([-w, w], axis=2))
    if blend.combination is None:
        return form
    both = blend.combination
    sums, stakes, reward = both.coins
    bets = np.maximum(sums, 0.0) / (stakes + 1.0) * (1.0 + reward) / STEEPEST
    q = shares_now(both.choice)
    return replace(
        form,
        rule="combined",
        bets=bets * (blend.hedge.active > 0.0),
        sizes=both.scales.total.copy(),
        rounds=float(both.scales.rounds[0]),
        choice=(float(q[0]), float(q[1])),
    )


def _agree(engine: Engine, form: LinearForm) -> bool:
    """Whether engine and form say the same of some rows, small and large."""
    rows = _probes(engine.columns)
    with np.errstate(all="ignore"):
        mine, theirs = form.scores(rows), np.asarray(engine.read(rows, "frozen"))
    if form.rule in ("vote", "combined"):
        labels = theirs > 0.0 if theirs.ndim == 1 else np.argmax(theirs, axis=1)
        return bool(np.array_equal(np.argmax(mine, axis=1), labels))
    if form.sharpness is not None:
        mine = form.sharpness * mine
        mine = tempered(mine, form.surest) if mine.ndim == 1 else _softmax(mine, form.surest)
    scale = np.maximum(np.abs(theirs), np.abs(theirs).max(axis=-1, keepdims=True))
    return mine.shape == theirs.shape and bool(
        np.all(np.abs(mine - theirs) <= TOLERANCE * np.maximum(scale, 1e-6))
    )


def _softmax(heights: Array, surest: float) -> Array:
    heights = tempered(heights - heights.max(axis=1, keepdims=True), surest)
    heights = np.maximum(heights, -700.0)
    return np.asarray(np.exp(heights) / np.exp(heights).sum(axis=1, keepdims=True))


def _probes(columns: int) -> Rows:
    """Rows to try: of some columns, each at several sizes."""
    random = np.random.default_rng(0)
    entries = min(columns, PROBED)
    sizes = 10.0 ** np.repeat(np.arange(-3.0, 6.0), 2)
    chosen = [np.sort(random.choice(columns, entries, replace=False)) for _ in sizes]
    values = [size * random.standard_normal(entries) for size in sizes]
    ends = entries * np.arange(len(sizes) + 1)
    return Rows.sparse(ends, np.concatenate(chosen), np.concatenate(values), columns)
