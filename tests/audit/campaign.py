"""The campaign: random streams until the time is over, and the first rows of real ones."""

import time
import traceback

import numpy as np

from audit.checking import Tally, audit
from audit.random_streams import DRAWS, Stream, comparators, drawn, task_of
from audit.wrappers import WRAPPERS
from fenchel.certificates import Hindsight
from fenchel.learners.certification import SecondReading

REAL = {
    "binary": ("phishing", "spambase", "splice", "mushrooms", "german", "svmguide1", "a9a"),
    "regression": ("abalone", "airfoil", "compactiv", "concrete", "bike_sharing", "ccpp"),
}


def random_runs(seconds, seed=0, most=10**9):
    """Every learner in turn, every eighth run one that is made of several."""
    tally, began, number = Tally(), time.monotonic(), 0
    names = list(DRAWS)
    while number < most and time.monotonic() - began < seconds:
        rng = np.random.default_rng([seed, number])
        if number % 8 == 7:
            label = WRAPPERS[number // 8 % len(WRAPPERS)]
            guarded(tally, f"seed {seed}, {number}", label, tally, rng)
        else:
            single(tally, rng, names[number % len(names)], f"seed {seed}, {number}")
        number += 1
    return tally


def single(tally, rng, name, which):
    parameters = DRAWS[name](rng)
    stream = drawn(rng, task_of(name, parameters))
    intercept = bool(rng.integers(2))

    def points(d):
        return comparators(rng, d)

    guarded(tally, which, audit, tally, name, parameters, stream, rng, points, intercept)


def guarded(tally, which, what, *arguments):
    """An error is a finding like any other, with the seed that gives it again."""
    try:
        what(*arguments)
    except Exception:
        tally.wrong.append(f"{which}: {traceback.format_exc(limit=-3)}")


class Shared:
    """The best u in hindsight, once for all learners of a stream."""

    past = None

    def __call__(self, learner):
        self.past = self.past or Hindsight(SecondReading(learner, None), learner.columns)
        return self.past


def real_runs(seconds, rows=200):
    """Every learner with default parameters on the first rows of real streams, in raw units."""
    from benchmarks.datasets import named

    tally, began = Tally(), time.monotonic()
    for task, sets in REAL.items():
        for which in sets:
            X, y = named(which).load()
            X = X[:rows].toarray() if hasattr(X, "toarray") else np.asarray(X[:rows])
            used = np.ascontiguousarray(X[:, np.abs(X).max(axis=0) > 0.0], dtype=np.float64)
            widths = np.full(len(used), used.shape[1])
            stream = Stream(which, used, np.asarray(y[:rows], float), np.ones(len(used)), widths)
            past = Shared()
            for name, parameters in DEFAULTS[task]:
                if time.monotonic() - began > seconds:
                    return tally
                rng = np.random.default_rng(0)
                arguments = name, parameters, stream, rng, lambda d: [np.zeros(d), None], True, past
                guarded(tally, f"{name} on {which}", audit, tally, *arguments)
    return tally


ANY = (
    ("gradient_descent", {"eta": 1.0, "schedule": "sqrt"}),
    ("dual_averaging", {"eta": 1.0, "l1": 1e-4, "l2": 0.0, "indexing": "corollary"}),
    ("strongly_convex", {"l2": 0.01, "l1": 0.0}),
    ("exponentiated_gradient", {"eta": 0.1, "signed": True, "adaptive": False, "total": 1.0}),
    ("adagrad", {"eta": 0.1, "delta": 1e-8, "l1": 0.0, "l2": 0.0}),
    ("scale_invariant_p_norm", {"eta": 1.0}),
    ("scale_invariant_adagrad", {"eta": 1.0, "sqrt_d": True}),
    ("normalized_adaptive_gradient", {"eta": 0.5}),
)
DEFAULTS = {
    "binary": (
        ("perceptron", {}),
        ("p_norm_perceptron", {"p": 4.0}),
        ("passive_aggressive", {"C": 1.0}),
        ("tuned_aggressive", {"p": 2.0}),
        ("tuned_aggressive", {"p": 4.0}),
        ("winnow", {"eta": 0.5}),
        ("second_order_perceptron", {"r": 1.0, "diagonal": True}),
        ("second_order_perceptron", {"r": 10.0, "diagonal": False}),
        ("arow", {"r": 1.0, "diagonal": True}),
        ("arow", {"r": 10.0, "diagonal": False}),
        ("arow", {"r": 10.0, "diagonal": False, "form": "original"}),
        *((name, {**parameters, "loss": "hinge"}) for name, parameters in ANY),
    ),
    "regression": (
        ("vovk_azoury_warmuth", {"a": 1.0, "diagonal": False}),
        ("vovk_azoury_warmuth", {"a": 1.0, "diagonal": True}),
        ("p_norm_lms", {"p": 2.0}),
        ("normalized_lms", {"eta": 0.5}),
        *((name, {**parameters, "loss": "absolute"}) for name, parameters in ANY),
    ),
}
