"""Every part, by discovery: the loops do what Algorithm 1 says, compiled or not."""

import numpy as np
import pytest

from fenchel import Learner
from kernel.kernel_extremes import extreme_stream, not_finite
from kernel.kernel_oracle import differences
from kernel.kernel_product import name_of, sensible
from kernel.kernel_relatives import RELATIVES
from kernel.kernel_selection import runs, selection, takes_sparse
from kernel.kernel_streams import task_of
from kernel.plain_python import plain_python
from kernel.random_parts import (
    margin_losses,
    regularizers,
    rules,
    textbook_regularizers,
)

SELECTION = selection()


@pytest.fixture(scope="module")
def verdicts():
    return plain_python("kernel/kernel_product.py")


@pytest.fixture(scope="module")
def plain_margins():
    return plain_python("kernel/kernel_selection.py")


def test_every_regularizer_has_an_oracle():
    for cls in regularizers():
        assert cls in textbook_regularizers() or cls in RELATIVES, (
            f"{cls.__name__} has neither NumPy methods nor an entry among the published algorithms"
        )


@pytest.fixture(scope="module")
def extremes():
    return plain_python("kernel/kernel_extremes.py")


@pytest.mark.parametrize("regularizer", regularizers(), ids=lambda cls: cls.__name__)
def test_loop_is_mirror_descent_for_every_loss_and_rule(verdicts, regularizer, record_property):
    names = [name_of(triple) for triple in sensible() if triple[1] is regularizer]
    assert len(names) >= len(margin_losses())
    wrong = {name: verdicts[name] for name in names if verdicts[name] is not None}
    assert not wrong
    record_property("triples of parts that do as Algorithm 1 says", len(names))


@pytest.mark.parametrize("regularizer", regularizers(), ids=lambda cls: cls.__name__)
def test_extreme_input_leaves_everything_finite(extremes, regularizer, record_property):
    names = [name_of(triple) for triple in sensible() if triple[1] is regularizer]
    wrong = {name: extremes[name] for name in names if extremes[name] is not None}
    assert not wrong
    record_property("triples of parts finite at the ends of the floats", len(names))


def test_selection_holds_every_part():
    held = {type(part) for parts in SELECTION.values() for part in parts}
    assert held >= {*margin_losses(), *regularizers(), *rules()}


@pytest.mark.parametrize("name", SELECTION)
def test_compiled_loop_is_mirror_descent(name, plain_margins):
    for (learner, stream, X), plain in zip(
        runs(name, SELECTION[name]), plain_margins[name], strict=True
    ):
        untouched = learner.copy()
        # Reading weights is another kernel for each: the tests of learners compile those.
        assert differences(learner, stream, X, weights_too=False) is None
        margins = untouched.learn_many(X, stream.y, stream.importance)
        np.testing.assert_allclose(margins, plain, rtol=1e-7, atol=1e-9 * np.abs(plain).max())


@pytest.mark.parametrize("name", SELECTION)
def test_extreme_input_leaves_everything_finite_in_compiled_code(name):
    parts = SELECTION[name]
    rng = np.random.default_rng(0)
    for intercept in (True, False):
        stream = extreme_stream(task_of(parts[0]), rng, rows=60)
        learner = Learner.of(*parts, intercept=intercept)
        assert not_finite(learner, stream, takes_sparse(name), weights_too=False) is None
