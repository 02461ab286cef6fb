"""The package's certificates of a run beside the audit's: what was compared, what is wrong."""

from collections import Counter
from math import isfinite

import numpy as np

from audit.books import BOOKS
from audit.runs import SAME, Run
from audit.sketch_run import SketchRun
from audit.textbook_theorems import LANG, STATEMENTS, normalized_sides
from fenchel import Learner, learners, losses, regularizers, rules
from fenchel.learners.certification import certify

AGREE = 1e-6
ROUNDING = 1e-9
TOO_LARGE = 1e12  # losses beyond which a run has diverged
DOMAINS = {
    "box": regularizers.Box,
    "orthant": regularizers.Orthant,
    "ball": regularizers.Ball,
    "simplex": regularizers.Simplex,
}


class Tally:
    """What was found: counts, the tightest ratios, and everything that is wrong."""

    def __init__(self):
        self.counts, self.learners, self.kinds = Counter(), Counter(), Counter()
        self.tightest = {}
        self.wrong = []
        self.runs = self.undecided = self.vacuous = self.diverged = self.variants = self.held = 0

    def told(self):
        return {**vars(self)}

    def add(self, other):
        """Add what another one told."""
        for name, value in other.items():
            mine = getattr(self, name)
            if name == "tightest":
                for key, ratio in value.items():
                    mine[key] = min(mine.get(key, float("inf")), ratio)
            elif isinstance(mine, Counter):
                mine.update(value)
            else:
                setattr(self, name, mine + value)


def learner_of(name, parameters, intercept):
    """The package's learner, certifying."""
    if name in ("timed", "implicit"):
        return of_parts(name, parameters, intercept)
    given = dict(parameters)
    if "domain" in given:
        kind, *numbers = given["domain"]
        given["domain"] = DOMAINS[kind](*numbers)
    learner = learners.from_parameters(name, {**given, "intercept": intercept, "certify": True})
    if learner.labels is not None:
        learner.declare([-1.0, 1.0])
    return learner


def of_parts(name, parameters, intercept):
    """A learner that has no name of its own, from its parts."""
    eta, loss = parameters["eta"], losses.named(parameters["loss"])
    if name == "implicit":
        f, rule = regularizers.Euclidean(), rules.Implicit(eta=eta)
    else:
        kind, *numbers = parameters["inner"]
        inner = (regularizers.PNorm if kind == "p_norm" else regularizers.Entropic)(*numbers)
        f, rule = regularizers.Timed(inner, parameters["power"]), rules.Subgradient(eta=eta)
    classes = [-1.0, 1.0] if loss.task == "binary" else None
    return Learner.of(loss, f, rule, certify=True, intercept=intercept, classes=classes)


def learn(learner, stream, rng):
    """The stream in blocks, and the margins; an adversary answers each with its opposite."""
    X, y, h = stream.X, stream.y, stream.h
    margins = []
    if stream.kind == "adversary":
        scale = 1.0 if learner.task == "binary" else float(np.abs(y).max())
        for t in range(len(X)):
            margin = learner.decision_many(X[t : t + 1])[0]
            y[t] = -scale if margin > 0.0 else scale
            margins.append(learner.learn_many(X[t : t + 1], y[t : t + 1], h[t : t + 1]))
        return np.concatenate(margins)
    cuts = np.flatnonzero(np.diff(stream.widths)) + 1
    if not len(cuts) and len(X) > 1:
        cuts = [int(rng.integers(1, len(X)))]
    for begin, end in zip([0, *cuts], [*cuts, len(X)], strict=True):
        known = X[begin:end, : stream.widths[begin]]
        margins.append(learner.learn_many(known, y[begin:end], h[begin:end]))
    return np.concatenate(margins)


def padded(stream, intercept):
    """Dense rows with the intercept's 1 first, and the coordinates known in each round."""
    ones = np.ones((len(stream.y), 1))
    X = np.hstack([ones, stream.X]) if intercept else stream.X
    return np.ascontiguousarray(X), stream.widths + intercept


def audit(tally, name, parameters, stream, rng, points, intercept, past=lambda learner: None):
    """Run both, compare every certificate, count. ``past`` is the hindsight that runs may share."""
    learner = learner_of(name, parameters, intercept)
    margins = learn(learner, stream, rng)
    X, widths = padded(stream, intercept)
    if name == "normalized_adaptive_gradient":
        run = None
        ledger = float(learner.state_arrays()["ledger.loss"][0])
    else:
        kind = SketchRun if name == "sketched_newton" else Run
        run = kind(BOOKS[name](**parameters), X, stream.y, stream.h, widths, margins)
        ledger = run.loss
    if not isfinite(ledger) or ledger > TOO_LARGE:
        tally.diverged += 1
        return
    tally.runs += 1
    where = f"{name}:{parameters} on {stream.kind}, intercept={intercept}"
    if run is not None and run.apart > SAME:
        tally.wrong.append(f"{where}: a margin differs by {run.apart:.3g} of its terms")
    for u in points(X.shape[1]):
        for c in certify(learner, u, None, past(learner) if u is None else None):
            compare(tally, c, run, (parameters, X, stream), where)


def compare(tally, c, run, given, where):
    """One certificate against both sides as the audit has them."""
    name, u = f"{c.theorem}, {c.equation}", c.origin.u
    if c.kind != "variant" and not c.applies:
        return
    if name == LANG:
        parameters, X, stream = given
        left, right = normalized_sides(
            parameters["loss"], parameters["eta"], X, stream.y, stream.h, u
        )
    else:
        left, right = STATEMENTS[name](run, u)
    count(tally, c, name, float(left), float(right), where)


def count(tally, c, name, left, right, where):
    """Whether both say the same, and whether the inequality holds as the audit computes it."""
    sides = max(abs(left), abs(right))
    unit = max(sides, c.unit if c.undecided else 0.0, c.rounding / AGREE)
    apart = max(abs(c.achieved - left), abs(c.bound - right))
    if not apart <= AGREE * unit:
        tally.wrong.append(f"{where}: {c} against {left!r} ≤ {right!r}")
    if c.kind == "variant":
        tally.variants += 1
        return
    if c.kind == "printed":
        return
    if not c.undecided and left > right + max(ROUNDING * sides, c.rounding):
        tally.wrong.append(f"VIOLATED, {where}: {name}: {left!r} > {right!r}")
    tally.counts[name] += 1
    tally.learners[where.partition(":")[0]] += 1
    tally.kinds[where.rpartition(" on ")[2].partition(",")[0]] += 1
    tally.undecided += c.undecided
    tally.vacuous += c.vacuous
    if left > 0.0 and not c.undecided:
        tally.tightest[name] = min(tally.tightest.get(name, float("inf")), right / left)
