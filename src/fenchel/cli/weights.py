"""The weights of a model that matter, by name.

Where the sizes of features are known (``auto`` keeps them, ``--data`` measures them), features are
ranked by the evidence that they carried, |w_j|·Σ_t |x_t,j|, in the user's units: rare levels with
large weights carry little. Beside a weight stands w_j·mean |x_j|, what the feature adds at its usual
size. Elsewhere a share is |w_j|/Σ|w_i|, as if every feature had the value 1.
"""

from __future__ import annotations

import numpy as np

from fenchel.certificates.tables import text_table
from fenchel.cli.models import load
from fenchel.cli.output import announce_compiling, printable, tell
from fenchel.cli.sources import Reading, column_name, open_data
from fenchel.cli.tasks import shown
from fenchel.learners import Learner, Mixture
from fenchel.learners.linear_form import linear_form
from fenchel.parts.state import Array
from fenchel.report.feature_importance import Weights, evidence, weight_vectors


def tell_weights(path: str, top: int, data: str | None = None) -> None:
    """Print the experts' shares, the intercept and the largest weights."""
    announce_compiling(quiet=False)
    learner = load(path)
    if isinstance(learner.engine, Mixture):
        _tell_shares(learner)
    vectors = list(weight_vectors(learner))
    sizes = sizes_of(learner, data)
    if vectors and sizes is not None:
        _tell_evidence(learner, sizes, top)
    elif vectors:
        _tell_largest(learner, vectors, top)
    if vectors and not decides_by_weights(learner):
        tell("It decides by more than these weights: `fenchel explain` shows each row.")


def decides_by_weights(learner: Learner) -> bool:
    """Whether margins are ⟨w, x⟩ with these weights: not in a mixture, nor where the row itself counts."""
    if isinstance(learner.engine, Mixture) or learner.rounds == 0:
        return learner.rounds == 0
    return linear_form(learner, last_weights=True).is_exact


def sizes_of(learner: Learner, data: str | None) -> tuple[Array, Array] | None:
    """In how many rows each feature is, and its Σ|x|: of these rows, or as the model kept them."""
    if data is None:
        kept = getattr(learner.engine, "feature_sizes", None)
        found: tuple[Array, Array] | None = None if kept is None else kept()
        return found
    counts, sums = np.zeros(learner.columns), np.zeros(learner.columns)
    for block in open_data(data, Reading(), learner, frozen=True).stream:
        known = block.indices < learner.columns
        columns, values = block.indices[known].astype(np.int64), np.abs(block.values[known])
        counts += np.bincount(columns, values > 0.0, minlength=learner.columns)
        sums += np.bincount(columns, values, minlength=learner.columns)
    return counts, sums


def _tell_evidence(learner: Learner, sizes: tuple[Array, Array], top: int) -> None:
    several = learner.task == "multiclass"
    rows = []
    for found in evidence(learner, *sizes, top):
        name = column_name(learner.names, learner.schema.index_base, found.column)
        label = [shown(found.label)] if several else []
        usual = f"{found.weight * found.size:+.6g}"
        rows.append([name, *label, f"{found.weight:+.6g}", usual, f"{100.0 * found.share:.3g}%"])
    tell()
    headings = [
        "feature",
        *(["class"] if several else []),
        "weight",
        "at its usual size",
        "evidence",
    ]
    if rows:
        tell("\n".join(text_table(headings, rows)))
    tell("\nevidence: |weight|·Σ|x| of the sum over all features; weights are in your units.")


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
