"""Several tasks that share what they learn: one matrix W of weights, W ∈ R^{K×d}."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fenchel._numba.jit import suited
from fenchel.learners.catalogue import CATALOGUE, Entry
from fenchel.learners.engine import Engine, refuse_unsound
from fenchel.learners.learner import Learner
from fenchel.learners.registry import dual_exponent, not_negative, positive, yes_or_no
from fenchel.learners.renumbering import Places, shares_of
from fenchel.loops.multitask import decide_tasks, learn_tasks
from fenchel.loops.online import ROUNDS
from fenchel.losses import derivative, named
from fenchel.parts.state import Array
from fenchel.regularizers import GroupComposite, Schatten
from fenchel.rows import Rows

# Θ is held inside this, where singular values can be computed.
LARGEST_ENTRY = 1e150


class MultiTask(Engine):
    """Algorithm 1 over matrices, ⟨A, B⟩ = tr AᵀB: z_t = −η·Σ_k ℓ′(⟨w_k, x⟩, y_k)·e_k·xᵀ.

    The label of a row is a dict {task: target}, of one task or of several, or a row of targets, NaN
    where a task has none. Tasks may appear any time; ``classes`` are their names. Targets of
    classification are 1 and −1 (or 0).
    """

    def __init__(
        self, loss: Any, parameters: Mapping[str, Any], eta: float, intercept: bool
    ) -> None:
        super().__init__("multi_task", parameters, "multitask", intercept)
        self.loss, self._eta = loss, eta
        self._theta = np.zeros((1, 0))  # one row a slot, one column a task
        self._rounds = np.zeros(1)

    def present(self, margins: Any) -> Any:
        """Return the margins themselves, or 1 and −1."""
        return margins if self.loss.task == "regression" else np.where(margins > 0.0, 1, -1)

    def declare(self, outputs: int) -> None:
        """Take so many tasks as known before any is seen."""
        super().declare(outputs)
        self._make_room(self.columns)

    def state_arrays(self) -> dict[str, Array]:
        """Return Θ and t."""
        return {"theta": self._theta[: self.columns + 1], "rounds": self._rounds}

    def restart(self, width: int) -> None:
        """Begin with fresh state of so many columns."""
        self.columns = width
        self._theta = np.zeros((width + 1, self.outputs))
        self._rounds[0] = 0.0

    def __getstate__(self) -> dict[str, Any]:
        kept = super().__getstate__()
        kept["_theta"], kept["_rounds"] = self._theta.copy(), self._rounds.copy()
        return kept

    def learn(self, rows: Rows, targets: Array, importance: Array, checked: bool) -> Array:
        """Run a round of matrices for each row."""
        refuse_unsound(rows, checked)
        self.outputs = max(self.outputs, targets.shape[1])
        self._make_room(self.columns)
        if self.loss.task == "binary":
            targets = np.where(np.isnan(targets), np.nan, np.where(targets > 0.0, 1.0, -1.0))
        margins = np.zeros(targets.shape)
        self._learn_rows(rows, targets, importance, margins)
        self.counts[ROUNDS] += len(rows)
        return margins

    @abstractmethod
    def _learn_rows(self, rows: Rows, targets: Array, importance: Array, margins: Array) -> None:
        """Learn, and fill in the margins."""

    def _make_room(self, width: int) -> None:
        """Θ for so many columns, by doubling, and for the tasks known."""
        slots, tasks = self._theta.shape
        needed = max(slots, self.outputs and width + 1), self.outputs
        if needed != (slots, tasks):
            if needed[0] > slots > 1:
                needed = max(needed[0], 2 * slots), needed[1]
            larger = np.zeros(needed)
            larger[:slots, :tasks] = self._theta
            self._theta = larger

    # ── merging ─────────────────────────────────────────────────────────────────────────────────

    def placed(self, places: Places) -> MultiTask:
        """Copy the engine, its columns and tasks in these places."""
        twin = self.copy()
        assert isinstance(twin, MultiTask), "a copy is of the same class"
        known = self._theta[: self.columns + 1, : len(places.outputs)]
        twin._theta = np.zeros((places.width + 1, places.total))
        twin._theta[np.ix_(places.slots[: len(known)], places.outputs)] = known
        twin.columns, twin.outputs = places.width, places.total
        return twin

    def unite(self, engines: Sequence[Any], start: Any) -> None:
        """t adds; Θ/√t, which makes the weights, is averaged by rounds."""
        self.outputs = start.outputs
        self.restart(start.columns)
        roots = [np.sqrt(max(float(engine._rounds[0]), 1.0)) for engine in (start, *engines)]
        first, *found = (e._theta / r for e, r in zip((start, *engines), roots, strict=True))
        self._rounds[:] = start._rounds + sum(engine._rounds - start._rounds for engine in engines)
        shares = shares_of(engines, start)
        mean = first + sum(s * (theta - first) for s, theta in zip(shares, found, strict=True))
        self._theta[:] = mean * np.sqrt(max(float(self._rounds[0]), 1.0))
        self._unite_counts(engines, start)

    def take_up(self, width: int) -> Any:
        """Make room for so many columns."""
        before = self._theta, self.columns, self.outputs
        self.columns = max(self.columns, width)
        self._make_room(self.columns)
        return before

    def put_back(self, before: Any) -> None:
        """Undo ``take_up``."""
        self._theta, self.columns, self.outputs = before


class GroupTasks(MultiTask):
    """f_t(W) = √t/2·‖W‖²_F + η·t·λ·‖W‖_{2,1}: a feature counts for all tasks or for none."""

    def __init__(self, loss: Any, strength: float, eta: float, **others: Any) -> None:
        super().__init__(loss, eta=eta, **others)
        self._f = GroupComposite(eta=eta, strength=strength, rounds=self._rounds)

    def __setstate__(self, kept: dict[str, Any]) -> None:
        super().__setstate__(kept)
        self._f = self._f._replace(rounds=self._rounds)

    def _learn_rows(self, rows: Rows, targets: Array, importance: Array, margins: Array) -> None:
        bias = float(self.intercept)
        run = suited(learn_tasks, self.loss)
        run(self.loss, self._f, self._theta, rows.view, targets, importance, bias, margins)

    def read(self, rows: Rows, what: str = "margins") -> Array:
        """One column a task."""
        margins = np.zeros((len(rows), self.outputs))
        theta = self._theta
        if rows.width >= len(theta):  # columns that are not known: zeros
            theta = np.zeros((rows.width + 1, self.outputs))
            theta[: len(self._theta)] = self._theta
        decide_tasks(self._f, theta, rows.view, len(rows), float(self.intercept), margins)
        return margins

    def weights(self) -> Array:
        """W of the next round, one row a slot, one column a task."""
        theta = self._theta[: self.columns + 1]
        return self._f.observe(np.zeros(1)).gradient(theta.T).T


class SchattenTasks(MultiTask):
    """f_t(W) = √t/2·‖W‖²_{S(q)}: tasks whose weights lie in a common space of few dimensions."""

    def __init__(self, loss: Any, p: float, eta: float, **others: Any) -> None:
        super().__init__(loss, eta=eta, **others)
        self._f = Schatten(p=p)

    def _weights_at(self, t: float, slots: int) -> Array:
        """∇f_t*(Θ) = ∇½‖Θ‖²_{S(p)}/√t."""
        theta = self._theta[:slots]
        return self._f.gradient(theta.T).T / np.sqrt(t) if theta.any() else np.zeros(theta.shape)

    def _learn_rows(self, rows: Rows, targets: Array, importance: Array, margins: Array) -> None:
        for t in range(len(rows)):
            self._rounds[0] += 1.0
            slots, x = rows.slots_and_values(t, self.intercept)
            weights = self._weights_at(self._rounds[0], self.columns + 1)
            margins[t] = x @ weights[slots]
            scale = self._eta * importance[min(t, len(importance) - 1)]
            for k in np.flatnonzero(~np.isnan(targets[t])):
                step = scale * derivative(self.loss, float(margins[t, k]), float(targets[t, k]))
                moved = self._theta[slots, k] - step * x
                self._theta[slots, k] = np.clip(moved, -LARGEST_ENTRY, LARGEST_ENTRY)

    def read(self, rows: Rows, what: str = "margins") -> Array:
        """One column a task."""
        margins = np.zeros((len(rows), self.outputs))
        weights = self.weights()
        for t in range(len(rows)):
            slots, x = rows.slots_and_values(t, self.intercept)
            known = slots <= self.columns
            margins[t] = x[known] @ weights[slots[known]]
        return margins

    def weights(self) -> Array:
        """W of the next round, one row a slot, one column a task."""
        return self._weights_at(self._rounds[0] + 1.0, self.columns + 1)


def multi_task(
    regularizer: str = "group",
    eta: float = 1.0,
    *,
    strength: float = 0.001,
    p: float = 4.0,
    loss: Any = "squared",
    intercept: bool = True,
    classes: Sequence[Any] | None = None,
) -> Learner:
    """Several tasks of regression or classification that share features, or a space of features.

    Problem: K related tasks with weights W ∈ R^{K×d}; a row has targets of one task or of several.

    Update: Θ ← Θ − η·Σ_k ℓ′(⟨w_k, x⟩, y_k)·e_k·xᵀ. With ``regularizer="group"`` each column of Θ is
    shortened by η·t·λ, then divided by √t: features are in or out for all tasks at once (Corollary 1
    with F = λ·‖·‖_{2,1}). With ``"schatten"`` W = ∇½‖Θ‖²_{S(p)}/√t: small singular values are pressed
    towards 0, so that W is nearly of low rank; p = 2 is gradient descent of each task alone.

    Guarantee: that of Corollary 1 with g = ½‖·‖²_F, or ½‖·‖²_{S(q)}, which is (q − 1)-strongly convex
    for the Schatten q-norm, q = p/(p − 1).

    Cost: group: K times the non-zeros of a row. Schatten: a singular value decomposition a round,
    K·d·min(K, d), in NumPy: for some thousand weights.

    Parameters: ``regularizer``; ``eta`` > 0; ``strength`` λ ≥ 0 of the group norm; ``p`` ≥ 2 of the
    Schatten norm; ``loss``, of regression or of two classes; ``classes``, the names of the tasks.
    Importance multiplies the loss.

    References: Kakade, Shalev-Shwartz & Tewari (2012); Yuan & Lin (2006); Xiao (2010).

    >>> from fenchel import learners
    >>> learner = learners.multi_task(eta=0.5, intercept=False)
    >>> learner.learn_one({"area": 1.0}, {"rent": 2.0, "price": 4.0})
    >>> learner.learn_one({"area": 1.0}, {"rent": 2.0})
    >>> sorted(learner.predict_one({"area": 1.0}))
    ['price', 'rent']
    """
    positive(eta=eta)
    not_negative(strength=strength)
    yes_or_no(intercept=intercept)
    exponent = dual_exponent(p)
    told = {"regularizer": regularizer, "eta": eta, "strength": strength, "p": p, "loss": loss}
    standard = {"eta": 1.0, "strength": 0.001, "p": 4.0, "loss": "squared", "regularizer": "group"}
    parameters = {key: value for key, value in told.items() if value != standard[key]}
    if not intercept:
        parameters["intercept"] = False
    others = {"parameters": parameters, "intercept": intercept}
    if named(loss).task not in ("regression", "binary"):
        raise ValueError(f"loss={loss!r} is for {named(loss).task}: give one of numbers or of ±1")
    if regularizer == "group":
        engine: MultiTask = GroupTasks(named(loss), float(strength), float(eta), **others)
        return Learner(engine, classes)
    if regularizer == "schatten":
        return Learner(SchattenTasks(named(loss), exponent, float(eta), **others), classes)
    raise ValueError(f"regularizer={regularizer!r}: choose 'group' or 'schatten'")


CATALOGUE["multi_task"] = Entry(
    multi_task,
    ("multitask",),
    "any loss × √t·½‖·‖²_F + η·t·λ·‖·‖_{2,1} or √t·½‖·‖²_{S(q)} × subgradient",
    "Sec. 3, f_t = √t·g + η·t·F in R^{K×d}",
    "Corollary 1",
    "tasks × non-zeros; Schatten: an SVD",
)
