"""Several tasks that share what they learn: one matrix W of weights, W ∈ R^{K×d}."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fenchel._kernel.compile import suited
from fenchel._kernel.state import Array
from fenchel.learners.learner import Learner
from fenchel.learners.outputs import encode_rows
from fenchel.learners.registry import CATALOGUE, Entry, dual_exponent, not_negative, positive
from fenchel.learners.rows import entries_at
from fenchel.loops.tasks import decide_tasks, learn_tasks
from fenchel.losses import derivative, named
from fenchel.regularizers import GroupComposite, Schatten

# Θ is held inside this, where singular values can be computed.
LARGEST_ENTRY = 1e150


class MultiTask(Learner):
    """Algorithm 1 over matrices, ⟨A, B⟩ = tr AᵀB: z_t = −η·Σ_k ℓ′(⟨w_k, x⟩, y_k)·e_k·xᵀ.

    The label of a row is a dict {task: target}, of one task or of several, or a row of targets, NaN
    where a task has none. Tasks may appear any time; ``classes`` are their names. Targets of
    classification are 1 and −1 (or 0).
    """

    def __init__(
        self,
        loss: Any,
        parameters: Mapping[str, Any],
        eta: float,
        intercept: bool,
        tasks: Sequence[Any] | None,
    ) -> None:
        super().__init__(
            name="multi_task",
            parameters=parameters,
            task="multitask",
            intercept=intercept,
            classes=tasks,
        )
        self.loss, self._eta = loss, eta
        self._theta = np.zeros((1, len(self.classes)))  # one row a slot, one column a task
        self._rounds = np.zeros(1)

    def predict_one(self, x: Mapping[str, Any] | ArrayLike) -> dict[Any, Any]:
        """The prediction of each task."""
        predicted = self.decode_many(np.atleast_2d(self.decision_one(x)))[0]
        return dict(zip(self.classes, predicted.tolist(), strict=True))

    def decode_many(self, margins: Array) -> NDArray[Any]:
        """The margins themselves, or 1 and −1."""
        if self.loss.task == "regression":
            return margins
        return np.where(margins > 0.0, 1, -1)

    def declare(self, classes: Sequence[Any]) -> None:
        """Name the tasks before they are seen."""
        super().declare(classes)
        self._make_room(self.columns)

    def state_arrays(self) -> dict[str, Array]:
        """Θ and t."""
        return {"theta": self._theta[: self.columns + 1], "rounds": self._rounds}

    def restart(self, width: int) -> None:
        """Fresh state of so many columns."""
        self.columns = width
        self._theta = np.zeros((width + 1, len(self.classes)))
        self._rounds[0] = 0.0

    def __getstate__(self) -> dict[str, Any]:
        kept = super().__getstate__()
        kept["_theta"], kept["_rounds"] = self._theta.copy(), self._rounds.copy()
        return kept

    # ── what the regularizer decides ────────────────────────────────────────────────────────────

    @abstractmethod
    def _all_weights(self) -> Array:
        """W of the next round, one row a slot, one column a task."""

    # ── inside ──────────────────────────────────────────────────────────────────────────────────

    def _encode(self, y: Any, count: int) -> Array:
        targets = encode_rows(self, y, count)
        if self.loss.task == "binary":
            return np.where(np.isnan(targets), np.nan, np.where(targets > 0.0, 1.0, -1.0))
        return targets

    def _make_room(self, width: int) -> None:
        """Θ for so many columns, by doubling, and for the tasks known."""
        slots, tasks = self._theta.shape
        needed = max(slots, len(self.classes) and width + 1), len(self.classes)
        if needed != (slots, tasks):
            if needed[0] > slots > 1:
                needed = max(needed[0], 2 * slots), needed[1]
            larger = np.zeros(needed)
            larger[:slots, :tasks] = self._theta
            self._theta = larger

    def _take_up(self, width: int) -> Any:
        before = self._theta, self.columns
        self.columns = max(self.columns, width)
        self._make_room(self.columns)
        return before

    def _put_back(self, before: Any) -> None:
        self._theta, self.columns = before


class GroupTasks(MultiTask):
    """f_t(W) = √t/2·‖W‖²_F + η·t·λ·‖W‖_{2,1}: a feature counts for all tasks or for none."""

    def __init__(self, loss: Any, strength: float, eta: float, **others: Any) -> None:
        super().__init__(loss, eta=eta, **others)
        self._f = GroupComposite(eta=eta, strength=strength, rounds=self._rounds)

    def __setstate__(self, kept: dict[str, Any]) -> None:
        super().__setstate__(kept)
        self._f = self._f._replace(rounds=self._rounds)

    def _learn_rows(
        self, rows: Any, count: int, width: int, targets: Array, importance: Array, checked: bool
    ) -> Array:
        self._refuse_unsound(rows, count, width, checked)
        margins = np.zeros(targets.shape)
        bias = float(self.intercept)
        run = suited(learn_tasks, self.loss)
        run(self.loss, self._f, self._theta, rows, targets, importance, bias, margins)
        return margins

    def _read_rows(self, rows: Any, count: int, width: int, what: str) -> Array:
        self._make_room(width)
        margins = np.zeros((count, len(self.classes)))
        decide_tasks(self._f, self._theta, rows, count, float(self.intercept), margins)
        return margins

    def _all_weights(self) -> Array:
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

    def _learn_rows(
        self, rows: Any, count: int, width: int, targets: Array, importance: Array, checked: bool
    ) -> Array:
        self._refuse_unsound(rows, count, width, checked)
        margins = np.zeros(targets.shape)
        for t in range(count):
            self._rounds[0] += 1.0
            slots, x = entries_at(rows, t, self.intercept)
            weights = self._weights_at(self._rounds[0], self.columns + 1)
            margins[t] = x @ weights[slots]
            scale = self._eta * importance[min(t, len(importance) - 1)]
            for k in np.flatnonzero(~np.isnan(targets[t])):
                step = scale * derivative(self.loss, float(margins[t, k]), float(targets[t, k]))
                moved = self._theta[slots, k] - step * x
                self._theta[slots, k] = np.clip(moved, -LARGEST_ENTRY, LARGEST_ENTRY)
        return margins

    def _read_rows(self, rows: Any, count: int, width: int, what: str) -> Array:
        margins = np.zeros((count, len(self.classes)))
        weights = self._all_weights()
        for t in range(count):
            slots, x = entries_at(rows, t, self.intercept)
            known = slots <= self.columns
            margins[t] = x[known] @ weights[slots[known]]
        return margins

    def _all_weights(self) -> Array:
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
) -> MultiTask:
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
    told = {"regularizer": regularizer, "eta": eta, "strength": strength, "p": p, "loss": loss}
    standard = {"eta": 1.0, "strength": 0.001, "p": 4.0, "loss": "squared", "regularizer": "group"}
    parameters = {key: value for key, value in told.items() if value != standard[key]}
    if not intercept:
        parameters["intercept"] = False
    others = {"parameters": parameters, "intercept": intercept, "tasks": classes}
    if named(loss).task not in ("regression", "binary"):
        raise ValueError(f"loss={loss!r} is for {named(loss).task}: give one of numbers or of ±1")
    if regularizer == "group":
        return GroupTasks(named(loss), float(strength), float(eta), **others)
    if regularizer == "schatten":
        return SchattenTasks(named(loss), dual_exponent(p), float(eta), **others)
    raise ValueError(f"regularizer={regularizer!r}: choose 'group' or 'schatten'")


CATALOGUE["multi_task"] = Entry(
    multi_task,
    ("multitask",),
    "any loss × √t·½‖·‖²_F + η·t·λ·‖·‖_{2,1} or √t·½‖·‖²_{S(q)} × subgradient",
    "Sec. 3, f_t = √t·g + η·t·F in R^{K×d}",
    "Corollary 1",
    "tasks × non-zeros; Schatten: an SVD",
)
