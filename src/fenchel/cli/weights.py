"""The largest weights of a model, by name.

A weight's share of the evidence is |w_j|/Σ|w_i|, the intercept left out: what the feature adds to
the size of a margin when every feature has the value 1. Features in different units are better
compared after multiplying by their usual size.
"""

from __future__ import annotations

import numpy as np

from fenchel.certificates.tables import text_table
from fenchel.cli.models import load
from fenchel.cli.output import announce_compiling, printable, tell
from fenchel.cli.sources import column_name
from fenchel.cli.tasks import shown
from fenchel.learners import Learner, Mixture
from fenchel.report.feature_importance import Weights, weight_vectors


def tell_weights(path: str, top: int) -> None:
    """Print the experts' shares, the intercept and the largest weights."""
    announce_compiling(quiet=False)
    learner = load(path)
    if isinstance(learner.engine, Mixture):
        _tell_shares(learner)
    vectors = list(weight_vectors(learner))
    if vectors:
        _tell_largest(learner, vectors, top)


def _tell_shares(mixture: Learner) -> None:
    shares = sorted(mixture.shares().items(), key=lambda item: -item[1])
    tell()
    rows = [[printable(name), f"{share:.1%}"] for name, share in shares]
    tell("\n".join(text_table(["expert", "share"], rows)))
    if mixture.task != "regression":
        tell(f"\nThe weights are those of its best expert, {mixture.best.specification}.")


def _tell_largest(learner: Learner, vectors: list[Weights], top: int) -> None:
    values = np.stack([vector.values for vector in vectors])
    total = float(np.abs(values).sum())
    order = np.argsort(-np.abs(values), axis=None, kind="stable")[:top]
    several = len(vectors) > 1
    rows = []
    for flat in order.tolist():
        which, column = divmod(flat, values.shape[1])
        weight = float(values[which, column])
        if weight == 0.0:
            break
        label = [shown(vectors[which].label)] if several else []
        share = f"{100.0 * abs(weight) / total:.3g}%"
        name = column_name(learner.names, learner.schema.index_base, column)
        rows.append([name, *label, f"{weight:+.6g}", share])
    headings = ["feature", *(["class"] if several else []), "weight", "share"]
    tell()
    if rows:
        tell("\n".join(text_table(headings, rows)))
    nonzero = int(np.count_nonzero(values))
    biases = ", ".join(f"{vector.bias:+.6g}" for vector in vectors)
    tell(f"\n{nonzero:,} of {values.size:,} weights are not zero; intercept {biases}.")
    tell("share: |weight| of the sum of all.")
