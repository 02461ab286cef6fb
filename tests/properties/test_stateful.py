"""Learn, predict, save, load, copy, clone, and blocks that are refused, in any order.

Beside the learner goes a twin that is given every row one by one and nothing else: after each step
both must be the same to the last bit.
"""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from properties.learner_kinds import KINDS, fingerprint, labels_for

seeds = st.integers(0, 2**32 - 1)


class Machine(RuleBasedStateMachine):
    kind = "perceptron"

    @initialize()
    def begin(self):
        self.learner, self.twin = KINDS[self.kind](), KINDS[self.kind]()
        if self.learner.task == "binary":
            for learner in (self.learner, self.twin):
                learner.declare(["x", "y"])
        self.width = 3
        self.folder = Path(tempfile.mkdtemp())

    def drawn(self, seed: int, rows: int, sparse: bool) -> tuple[Any, Any, Any]:
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(rows, self.width)) * (rng.random((rows, self.width)) < 0.6)
        y, weights = labels_for(self.learner, rng, rows), rng.choice([0.0, 1.0, 2.5], size=rows)
        return (sp.csr_array(X) if sparse else X), y, weights

    @rule(seed=seeds, rows=st.integers(0, 7), sparse=st.booleans())
    def learn(self, seed, rows, sparse):
        X, y, weights = self.drawn(seed, rows, sparse)
        margins = self.learner.learn_many(X, y, weights)
        self.twin.learn_many(X[:0], y[:0], weights[:0])  # the columns of a block without rows count
        for t in range(rows):
            one = self.twin.learn_many(X[t : t + 1], y[t : t + 1], weights[t : t + 1])
            known = np.atleast_2d(one).shape[1] if one.ndim == 2 else None
            row = margins[t : t + 1] if known is None else margins[t : t + 1, :known]
            assert one.tobytes() == np.ascontiguousarray(row).tobytes()

    @rule(columns=st.integers(1, 3))
    def widen(self, columns):
        self.width = min(self.width + columns, 12)

    @rule(seed=seeds, rows=st.integers(0, 4), sparse=st.booleans())
    def predict(self, seed, rows, sparse):
        X, _, _ = self.drawn(seed, rows, sparse)
        if self.learner.rounds and rows:
            assert len(self.learner.predict_many(X)) == rows
        expected = self.twin.decision_many(X)
        assert self.learner.decision_many(X).tobytes() == expected.tobytes()

    @rule(
        seed=seeds,
        fault=st.sampled_from(["nan", "label", "weight", "length", "index"]),
        rows=st.integers(1, 5),
    )
    def refuse(self, seed, fault, rows):
        self.width = min(self.width, 11)
        X, y, weights = self.drawn(seed, rows, sparse=False)
        X = np.hstack([X, np.ones((rows, 1))])  # a refused block may be the widest so far
        at = seed % rows
        if fault == "nan":
            X[at, seed % 3] = np.nan
        elif fault == "label":
            y = y.astype(object)
            y[at] = None if self.learner.task == "binary" else float("nan")
        elif fault == "weight":
            weights[at] = -1.0
        elif fault == "length":
            y = y[:-1]
        else:
            X = sp.csr_array(X)
            X.indices[seed % len(X.indices)] = 99
        with pytest.raises(ValueError):  # noqa: PT011 (the words are told elsewhere)
            self.learner.learn_many(X, y, weights)

    @rule()
    def save_and_load(self):
        self.learner.save(self.folder / "m")
        self.learner = type(self.learner).load(self.folder / "m")

    @rule(seed=seeds, keep_copy=st.booleans())
    def copy(self, seed, keep_copy):
        other = self.learner.copy()
        if keep_copy:
            self.learner, other = other, self.learner
        other.learn_many(*self.drawn(seed, 3, sparse=True))

    @rule(seed=seeds)
    def clone(self, seed):
        fresh = self.learner.fresh()
        assert (fresh.rounds, fresh.columns) == (0, 0)
        fresh.learn_many(*self.drawn(seed, 3, sparse=True))

    @invariant()
    def same(self):
        if hasattr(self, "learner"):
            assert fingerprint(self.learner) == fingerprint(self.twin)


@pytest.mark.parametrize("kind", KINDS)
def test_any_order_of_steps(kind, record_property):
    machine = type("Machine", (Machine,), {"kind": kind})
    steps = settings(max_examples=25, stateful_step_count=15, deadline=None)
    machine.TestCase.settings = steps
    machine.TestCase().runTest()
    record_property("random histories of learn, save, load, copy, refuse", 25)
