"""Where a block is cut makes no difference, to any learner."""

import numpy as np
import pytest
import scipy.sparse as sp

from fenchel import learners
from fenchel.evaluate import learn, predict
from fenchel.rows import Rows
from fenchel.streams import from_arrays


def _block(rows: int = 120, columns: int = 150, seed: int = 0, classes: int = 2):
    """Rows whose columns keep growing, so that the mixture's limit is passed on the way."""
    random = np.random.default_rng(seed)
    X = sp.lil_array((rows, columns))
    for t in range(rows):
        for j in random.integers(0, 2 + t * columns // rows, 3).clip(max=columns - 1):
            X[t, j] = random.normal()
    labels = random.integers(0, classes, rows)
    (block,) = from_arrays(X.tocsr(), labels, random.integers(1, 3, rows).astype(float))
    return block


def _with_columns(block, indices):
    rows = Rows.sparse(block.indptr, np.asarray(indices, np.uint32), block.values)
    return block.replace(rows=rows, importance=None)


@pytest.mark.parametrize(
    "make",
    [
        learners.perceptron,
        learners.winnow,
        learners.scale_invariant_adagrad,
        lambda: learners.hedge([learners.winnow(), learners.perceptron()]),
        lambda: learners.one_against_rest(learners.winnow()),
    ],
    ids=["perceptron", "winnow", "root of d", "mixture", "classes"],
)
def test_any_cut_gives_the_same_state(make) -> None:
    classes = 3 if make().task == "multiclass" else 2
    block = _block(classes=classes)
    whole, cut = make(), make()
    margins = learn(whole, block)
    parts = [learn(cut, part) for part in block.parts(7)]
    for name, array in whole.state_arrays().items():
        assert array.tobytes() == cut.state_arrays()[name].tobytes(), name
    if classes == 2:
        assert np.concatenate(parts).tobytes() == margins.tobytes()
    assert whole.rounds == cut.rounds == len(block)
    assert whole.columns == cut.columns


def test_the_mixture_gives_up_its_matrices_at_the_same_row() -> None:
    block = _block()
    whole, cut = learners.auto(), learners.auto()
    learn(whole, block)
    for part in block.parts(11):
        learn(cut, part)
    assert whole.state_arrays().keys() == cut.state_arrays().keys()
    for name, array in whole.state_arrays().items():
        assert array.tobytes() == cut.state_arrays()[name].tobytes(), name


def test_streams_equal_single_examples() -> None:
    """A block is the loop of learn_one over dicts, also for learners that count columns."""
    block = _block(rows=40, columns=60)
    learner, one_by_one = learners.winnow(), learners.winnow()
    # Columns numbered by first appearance, as a table of names does.
    order = {int(j): k for k, j in enumerate(dict.fromkeys(block.indices.tolist()))}
    renamed = _with_columns(block, [order[int(j)] for j in block.indices])
    margins = learn(learner, renamed)
    for t in range(len(block)):
        at = slice(block.indptr[t], block.indptr[t + 1])
        x = {str(j): float(v) for j, v in zip(renamed.indices[at], block.values[at], strict=True)}
        assert one_by_one.decision_one(x) == margins[t]
        one_by_one.learn_one(x, block.labels[t])


def test_only_some_learners_count_columns() -> None:
    assert learners.winnow().engine.counts_columns
    assert learners.scale_invariant_adagrad().engine.counts_columns
    assert not learners.scale_invariant_adagrad(sqrt_d=False).engine.counts_columns
    assert not learners.arow().engine.counts_columns
    assert not learners.auto().engine.counts_columns


@pytest.mark.parametrize("make", [learners.arow, learners.winnow])
def test_predicting_sees_each_row_as_the_next_round_would(make) -> None:
    learner = make()
    learn(learner, _block())
    before = {name: array.copy() for name, array in learner.state_arrays().items()}
    new = _block(rows=30, columns=400, seed=7)
    margins = predict(learner, new)
    for name, array in learner.state_arrays().items():
        assert array.tobytes() == before[name].tobytes(), name
    for t, row in enumerate(new.parts(1)):
        fresh = learner.copy()
        known = int(np.count_nonzero(row.indices < fresh.columns))
        # The next round gives columns never seen the next numbers.
        indices = row.indices.copy()
        indices[known:] = fresh.columns + np.arange(len(indices) - known)
        assert learn(fresh, _with_columns(row, indices))[0] == margins[t]


def test_selected_rows() -> None:
    block = _block(rows=10)
    kept = block.select(np.arange(10) % 3 == 0)
    assert len(kept) == 4
    for k, t in enumerate((0, 3, 6, 9)):
        mine = slice(kept.indptr[k], kept.indptr[k + 1])
        its = slice(block.indptr[t], block.indptr[t + 1])
        assert kept.indices[mine].tolist() == block.indices[its].tolist()
        assert kept.values[mine].tolist() == block.values[its].tolist()
        assert kept.labels[k] == block.labels[t]
        assert kept.weights[k] == block.weights[t]
