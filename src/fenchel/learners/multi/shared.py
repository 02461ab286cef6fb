"""Several classes or outputs that share one full matrix: C·d more than one of them, not C·d².

A_t is the same for all: a row is kept in it where at least one of them steps (or always). What each keeps of
its own is θ. For Vovk-Azoury-Warmuth, whose A_t grows in every round, that is one learner for each output
exactly; for AROW and the second-order Perceptron it is another learner, whose matrix has seen the rows
of all classes.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fenchel.learners import by_blocks, on_device
from fenchel.learners.composed import MOST_FULL
from fenchel.learners.device_matrix import DeviceMatrix
from fenchel.learners.engine import Engine, refuse_unsound, some_of
from fenchel.learners.host_matrix import HostMatrix
from fenchel.learners.labels import known_after
from fenchel.learners.renumbering import Places
from fenchel.loops import blocks
from fenchel.parts import state
from fenchel.parts.state import Array
from fenchel.regularizers.matrix_sums import triangle
from fenchel.rows import Rows

READ = 1024  # rows read together


class SharedMatrix(Engine):
    """One learner for each class or output, all with one A_t; classes may appear any time."""

    _remembered: tuple[tuple[int, int], Array] | None = None

    def __init__(self, name: str, learner: Any, task: str) -> None:
        inner = learner.engine
        parts = getattr(inner, "parts", None)
        if parts is None or not inner.has_matrix or not by_blocks.answers(parts):
            raise ValueError(
                f"shared=True needs a full matrix, without averaged and certify; {learner.name} has "
                "none here: give arow(diagonal=False), say"
            )
        super().__init__(name, {"shared": True, "learner": learner}, task, learner.intercept)
        self.parts = state.start(parts, 2)
        self.device, self.dtype = getattr(inner, "device", None), getattr(inner, "dtype", None)
        self.matrix = self._fresh(0)

    def _fresh(self, outputs: int) -> Any:
        a = self.parts.regularizer.a
        if self.device is None:
            return HostMatrix(a, outputs)
        return DeviceMatrix(self.device, str(self.dtype), a, outputs)

    def declare(self, outputs: int) -> None:
        """Take so many classes as known before any is seen."""
        super().declare(outputs)
        self.matrix.add_outputs(self.outputs)

    def learns_by_blocks(self, columns: int) -> bool:
        """Yes, however few there are."""
        return True

    @property
    def has_matrix(self) -> bool:
        """Whether the state holds a matrix of columns × columns."""
        return True

    def rows_of(self, X: Any) -> Any:
        """Rows of an array that lies on the device; None for any other."""
        return None if self.device is None else on_device.tensor_rows(self.matrix, X)

    # ── learning and reading ────────────────────────────────────────────────────────────────────

    def _load(self, rows: Any, begin: int) -> Any:
        """A function that puts some rows, counted from ``begin``, into those of an array."""
        bias = float(self.intercept)

        def on_host(X: Array, first: int, last: int) -> None:
            n = last - first
            blocks.fill_rows(rows.view, begin + first, bias, np.ones(n), np.arange(n), X, n)

        def there(X: Any, first: int, last: int) -> None:
            torch, at = self.matrix.torch, begin
            on_device.load_rows(torch, rows, self, X, at + first, at + last)

        return on_host if self.device is None else there

    def learn(self, rows: Any, targets: Array, importance: Array, checked: bool) -> Array:
        """Learn all outputs over one matrix; a block of rows ends where a class is new."""
        if isinstance(rows, Rows):
            refuse_unsound(rows, checked)
        if targets.ndim == 2:
            self.declare(targets.shape[1])
            return self._learn(rows, 0, len(rows), targets, importance)
        before, known = self.outputs, known_after(targets, self.outputs)
        self.declare(int(np.max(known, initial=before)))
        margins = np.full((len(rows), self.outputs), -np.inf)
        cuts = [0, *(np.nonzero(np.diff(known))[0] + 1).tolist(), len(rows)]
        for begin, end in itertools.pairwise(cuts):
            count = int(known[begin]) if end > begin else 0
            y = np.where(targets[begin:end, None] == np.arange(self.outputs), 1.0, -1.0)
            y[:, count:] = 0.0
            some = self._learn(rows, begin, end, y, importance)
            seen = before if begin == 0 else int(known[begin - 1])
            margins[begin:end, :count] = some[:, :count]
            margins[
                begin : begin + 1, seen:
            ] = -np.inf  # at its first row a class was not known yet
        return margins

    def _learn(self, rows: Any, begin: int, end: int, y: Array, importance: Array) -> Array:
        margins = np.empty(y.shape)
        given = np.ascontiguousarray(y), some_of(importance, begin, end), margins, self.counts
        decide = by_blocks.decider(self.parts, *given)
        self.matrix.learn(self._load(rows, begin), end - begin, decide)
        return margins

    def read(self, rows: Any, what: str = "margins") -> Array:
        """Read as the next round would; one column an output."""
        out, f = np.empty((len(rows), self.outputs)), self.parts.regularizer
        for begin in range(0, len(rows), READ):
            end = min(begin + READ, len(rows))
            along, chi = self.matrix.read(self._array(rows, begin, end))
            for k in range(self.outputs):
                column = np.empty(end - begin)
                some = np.ascontiguousarray(along[:, k])
                blocks.view_block(f, some, chi, column, what == "spreads")
                out[begin:end, k] = column
        return out

    def read_labels(self, rows: Any, what: str = "margins") -> Array:
        """⟨w_k, x⟩: the factor r/(r + x·A⁻¹·x) of a tentative A_t is the same for all classes."""
        if self.device is not None or self.task != "multiclass" or rows.width > self.columns:
            return self.read(rows)
        if self._remembered is None or self._remembered[0] != (self.rounds, self.columns):
            w = self.weights()
            self._remembered = (self.rounds, self.columns), w if self.intercept else w[1:]
        return by_blocks.products(rows, self._remembered[1], self.intercept)

    def _array(self, rows: Any, begin: int, end: int) -> Any:
        """Some rows, of the columns that are known, as an array of their own."""
        matrix, shape = self.matrix, (end - begin, self.matrix.slots)
        if self.device is None:
            X = np.zeros(shape)
            some = rows.part(begin, end).to_matrix()[:, : self.columns]
            X[:, 0] = float(self.intercept)
            X[:, 1 : 1 + some.shape[1]] = some if isinstance(some, np.ndarray) else some.toarray()
            return X
        X = matrix.torch.zeros(shape, dtype=matrix.dtype, device=matrix.device)
        on_device.load_rows(matrix.torch, rows, self, X, begin, end)
        return X

    def weights(self) -> Array:
        """Return one row of weights a slot, one column an output."""
        self.matrix.grow(self.columns + 1)
        return np.ascontiguousarray(self.matrix.weights()[:, : self.columns + 1].T)

    @property
    def has_probabilities(self) -> bool:
        """Margins of a squared or a hinge loss are no probabilities."""
        return False

    # ── merging ─────────────────────────────────────────────────────────────────────────────────

    def placed(self, places: Places) -> SharedMatrix:
        """Copy the engine, its columns and outputs in these places."""
        if self.device is not None:
            raise ValueError(f"{self.name} lies on {self.device}: merge it on the CPU, .to(None)")
        twin, to = self.copy(), places.slots
        assert isinstance(twin, SharedMatrix), "a copy is of the same class"
        before = {name: array.copy() for name, array in self.state_arrays().items()}
        twin.columns, twin.outputs = places.width, places.total
        twin.matrix = twin._fresh(places.total)
        twin.matrix.grow(places.width + 1)
        twin.matrix.factor[np.ix_(to, to)] = before["factor"]
        known = places.outputs[: len(before["theta"])]
        twin.matrix.theta[np.ix_(known, to)] = before["theta"]
        return twin

    def unite(self, engines: Sequence[Any], start: Any) -> None:
        """A and every θ are sums over rows, as those of ``FullQuadratic``."""
        self.columns, self.outputs, self._remembered = start.columns, start.outputs, None
        A = start.matrix.factor.T @ start.matrix.factor
        A = A + sum(e.matrix.factor.T @ e.matrix.factor - A for e in engines)
        theta = start.matrix.theta + sum(e.matrix.theta - start.matrix.theta for e in engines)
        R = triangle(A, self.matrix.a)
        from scipy.linalg import solve_triangular  # deferred: it takes a while to load

        self.matrix.take(R, theta, solve_triangular(R, theta.T, trans="T").T)
        self._unite_counts(engines, start)

    # ── its state ───────────────────────────────────────────────────────────────────────────────

    def take_up(self, width: int) -> Any:
        """Make room for so many columns."""
        if width > MOST_FULL:
            raise ValueError(
                f"{self.name} keeps a {width} × {width} matrix: with more than {MOST_FULL} "
                "features leave shared out and use diagonal=True"
            )
        before = self.columns
        self.columns = max(width, before)
        self.matrix.grow(self.columns + 1)
        return before

    def put_back(self, before: Any) -> None:
        """Undo ``take_up``: columns without rows change nothing."""
        self.columns = before

    def state_arrays(self) -> dict[str, Array]:
        """Return R, θ and b, as wide as the columns known."""
        n = self.columns + 1
        self.matrix.grow(n)
        factor, theta, rotated = self.matrix.state()
        return {"factor": factor[:n, :n], "theta": theta[:, :n], "rotated": rotated[:, :n]}

    def restart(self, width: int) -> None:
        """Begin with fresh state of so many columns."""
        self.matrix = self._fresh(self.outputs)
        self.columns = 0
        self.take_up(width)

    def lay_in(self, arrays: Mapping[str, Array], width: int) -> None:
        """Take the state of a model file."""
        factor, theta, rotated = (arrays[name] for name in ("factor", "theta", "rotated"))
        n, outputs = width + 1, len(theta)
        if factor.shape != (n, n) or theta.shape != rotated.shape or theta.shape != (outputs, n):
            raise ValueError(f"no arrays 'factor', 'theta' and 'rotated' of {n} slots")
        self.columns, self.outputs, self._remembered = width, outputs, None
        self.matrix = self._fresh(outputs)
        if self.device is None:
            self.matrix.take(factor, theta, rotated)
        else:
            self.matrix.put(factor.T @ factor, theta)

    def __getstate__(self) -> dict[str, Any]:
        arrays = {name: array.copy() for name, array in self.state_arrays().items()}
        return {**super().__getstate__(), "matrix": arrays}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        arrays = kept["matrix"]
        super().__setstate__({**kept, "matrix": None})
        self.lay_in(arrays, self.columns)
