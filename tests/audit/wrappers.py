"""Learners made of others: mixtures, one learner a class, label or output, and classes by pairs.

What they are made of runs as the audit's own books; how it is put together is written here once more.
"""

from math import fsum

import numpy as np

from audit.books import BOOKS
from audit.checking import count, learner_of
from audit.random_streams import DRAWS, SQUARED, drawn, one_of, task_of
from audit.runs import Run
from audit.textbook_theorems import STATEMENTS
from fenchel import learners

BINARY = ("perceptron", "passive_aggressive", "arow", "gradient_descent", "tuned_aggressive")
PAIRS = ("perceptron", "passive_aggressive", "gradient_descent", "dual_averaging", "adagrad")
COUNTS = ("mistakes", "updates M + U")


def member(rng, task, names):
    """A learner of this task with random parameters, under the loss that a mixture charges."""
    while True:
        name = one_of(rng, names)
        parameters = {k: v for k, v in DRAWS[name](rng).items() if k != "domain"}
        if "loss" in parameters:
            parameters["loss"] = "squared" if task == "regression" else "hinge"
        if task_of(name, parameters) == task:
            return name, parameters


def adahedge(losses):
    """Σ h_t, Δ_T and every L_k, by the definition."""
    total, gap, expected = np.zeros(losses.shape[1]), 0.0, 0.0
    for loss in losses:
        behind = total - total.min()
        if gap > 0.0:
            logits = -np.log(losses.shape[1]) / gap * behind
            shares = np.exp(logits - np.logaddexp.reduce(logits))
            after = logits - np.log(losses.shape[1]) / gap * loss
            mix = np.logaddexp.reduce(logits) - np.logaddexp.reduce(after)
            mix *= gap / np.log(losses.shape[1])
        else:
            shares = (behind == 0.0) / np.sum(behind == 0.0)
            mix = np.min(behind + loss)
        expected += shares @ loss
        gap += max(0.0, shares @ loss - mix)
        total += loss
    return expected, gap, total


def charged(task, run):
    """What a mixture charges an expert in each round."""
    if task == "binary":
        return run.h * ((run.m > 0.0) != (run.y > 0.0))
    held, low, high = [], np.inf, -np.inf
    for m, y, h in zip(run.m, run.y, run.h, strict=True):
        p = min(max(m, low), high) if low <= high else m
        held.append(0.5 * h * (p - y) ** 2)
        if h > 0.0:
            low, high = min(low, y), max(high, y)
    return np.array(held)


def mixture(tally, rng):
    """``hedge``: AdaHedge's own bound, and each expert's through it."""
    task = one_of(rng, ("binary", "regression"))
    names = BINARY if task == "binary" else ("gradient_descent", *SQUARED)
    experts = {}
    while len(experts) < 3:
        name, parameters = member(rng, task, names)
        experts[name] = parameters
    stream = drawn(rng, task, one_of(rng, ("plain", "sparse", "heavy", "noise")))
    whole = learners.hedge([learner_of(n, p, False) for n, p in experts.items()], certify=True)
    if task == "binary":
        whole.declare([-1.0, 1.0])
    whole.learn_many(stream.X, stream.y, stream.h)
    runs = {n: Run(BOOKS[n](**p), stream.X, stream.y, stream.h) for n, p in experts.items()}
    sums = np.column_stack([charged(task, run) for run in runs.values()])
    if not np.isfinite(sums).all() or sums.max(initial=0.0) > 1e12:
        tally.diverged += 1
        return
    tally.runs += 1
    expected, gap, losses = adahedge(sums)
    where = f"hedge:{experts} on {stream.kind}"
    u = rng.normal(size=stream.X.shape[1])
    first, *others = whole.certificates(u)
    count(
        tally,
        first,
        f"{first.theorem}, {first.equation}",
        expected - losses.min(),
        2.0 * gap,
        where,
    )
    for c in others:
        name = c.comparator.rpartition("by ")[2].partition(":")[0]
        inner = f"{c.theorem.removeprefix('AdaHedge and ')}, {c.equation}"
        left, right = STATEMENTS[inner](runs[name], u)
        own = left if c.quantity == "expected loss" else runs[name].loss
        beyond = max(0.0, losses[list(experts).index(name)] - own)
        sides = expected - own + left, right + 2.0 * gap + beyond
        count(tally, c, f"AdaHedge and {inner}", *sides, where)


def members(tally, rng):
    """``one_against_rest``, ``multi_label`` and ``multi_output``: each member, and their sums."""
    kind = one_of(rng, ("one_against_rest", "multi_label", "multi_output"))
    task = "regression" if kind == "multi_output" else "binary"
    names = ("gradient_descent", *SQUARED) if task == "regression" else BINARY
    name, parameters = member(rng, task, names)
    stream = drawn(rng, "regression", one_of(rng, ("plain", "sparse", "noise")))
    X, several = stream.X, 3
    numbers = X @ rng.normal(size=(X.shape[1], several)) + 0.3 * rng.normal(size=(len(X), several))
    options = {} if kind == "multi_output" else {"classes": range(several)}
    whole = getattr(learners, kind)(learner_of(name, parameters, False), **options)
    if kind == "one_against_rest":
        targets = numbers.argmax(axis=1)
        signs = np.where(targets[:, None] == np.arange(several), 1.0, -1.0)
    else:
        targets = numbers if kind == "multi_output" else (numbers > 0.0).astype(int)
        signs = targets if kind == "multi_output" else 2.0 * targets - 1.0
    whole.learn_many(X, targets, stream.h)
    runs = [Run(BOOKS[name](**parameters), X, signs[:, k], stream.h) for k in range(several)]
    if not all(np.isfinite(run.loss) and run.loss < 1e12 for run in runs):
        tally.diverged += 1
        return
    tally.runs += 1
    U = rng.normal(size=(X.shape[1], several))
    for c in whole.certificates(U):
        if not c.applies:
            continue
        inner, which = f"{c.theorem}, {c.equation}", c.comparator.partition(":")[0]
        each = range(several) if which.startswith("a u for every") else [int(which)]
        sides = [STATEMENTS[inner](runs[k], U[:, k]) for k in each]
        left, right = (fsum(side) for side in zip(*sides, strict=True))
        count(tally, c, inner, left, right, f"{kind}:{name}:{parameters} on {stream.kind}")


def pairs(tally, rng):
    """``max_margin``: the learner's theorems over the rows (e_y − e_ŷ)·xᵀ of the matrix space."""
    name, parameters = member(rng, "binary", PAIRS)
    stream = drawn(rng, "regression", one_of(rng, ("plain", "sparse", "noise", "heavy")))
    classes, X = int(rng.integers(2, 5)), stream.X
    y = rng.integers(0, classes, size=len(X))
    whole = learners.max_margin(learner_of(name, parameters, False), classes=range(classes))
    scores = whole.learn_many(X, y, stream.h)
    others = scores.copy()
    others[np.arange(len(y)), y] = -np.inf
    rows = np.zeros((len(X), X.shape[1], classes))
    rows[np.arange(len(y)), :, y] = X
    rows[np.arange(len(y)), :, others.argmax(axis=1)] -= X
    run = Run(BOOKS[name](**parameters), rows.reshape(len(X), -1), np.ones(len(X)), stream.h)
    if not np.isfinite(run.loss) or run.loss > 1e12:
        tally.diverged += 1
        return
    tally.runs += 1
    where = f"max_margin:{name}:{parameters} on {stream.kind}"
    met = np.take_along_axis(scores, y[:, None], 1)[:, 0] - others.max(axis=1)
    if not np.allclose(run.m, met, rtol=1e-6, atol=1e-9):
        tally.wrong.append(f"{where}: margins of the pairs differ")
    U = rng.normal(size=(X.shape[1], classes))
    for c in whole.certificates(U):
        if c.applies:
            inner = f"{c.theorem}, {c.equation}"
            count(tally, c, inner, *STATEMENTS[inner](run, U.reshape(-1)), where)


def automatic(tally, rng):
    """``auto``: its combination is not written here again; what it certifies must hold."""
    task = one_of(rng, ("binary", "regression"))
    stream = drawn(rng, task, one_of(rng, ("plain", "sparse", "heavy", "noise", "units")))
    whole = learners.auto(task, certify=True)
    whole.learn_many(stream.X, stream.y, stream.h)
    tally.runs += 1
    for c in whole.certificates():
        if c.applies and c.violated:
            tally.wrong.append(f"VIOLATED, auto:{task} on {stream.kind}: {c}")
        tally.held += c.applies


WRAPPERS = (mixture, members, pairs, automatic)
