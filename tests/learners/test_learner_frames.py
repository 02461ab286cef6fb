"""Frames that a learner is given: other columns than it knows are told, odd ones refused in plain words."""

import pickle
import warnings

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from fenchel import learners
from fenchel.learners.column_warnings import OtherColumnsWarning
from fenchel.streams import from_frame

FRAME = pd.DataFrame({"a": [1.0, 2.0], "job": ["cook", "guard"]})


def told(use):
    """What a use of a learner warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        use()
    assert all(w.category is OtherColumnsWarning and w.filename == __file__ for w in caught)
    return [str(w.message) for w in caught]


@pytest.mark.parametrize("convert", [lambda f: f, pl.from_pandas], ids=["pandas", "polars"])
def test_other_columns_are_warned_of_once(convert) -> None:
    learner = learners.arow()
    frame = convert(FRAME)
    assert told(lambda: learner.learn_many(frame, [True, False])) == []
    for use in (learner.predict_many, lambda f: learner.learn_many(f, [True, False])):
        assert told(lambda use=use: use(frame)) == []
        fewer = convert(FRAME[["a"]].assign(empty=None))
        (message,) = told(lambda use=use, fewer=fewer: use(fewer))
        assert "there is no column job: missing in every row" in message
        assert "empty" not in message
        assert told(lambda use=use, fewer=fewer: use(fewer)) == []
    more = convert(FRAME.assign(z=[1.0, 2.0]))
    (message,) = told(lambda: learner.predict_many(more))
    assert message.endswith("the column z is not known to the learner: not used")
    (message,) = told(lambda: learner.learn_many(more, [True, False]))
    assert message.endswith("the column z is not known to the learner: learned from now on")
    assert told(lambda: learner.predict_many(more)) == []
    assert len(told(lambda: pickle.loads(pickle.dumps(learner)).predict_many(frame))) == 1


def test_labels_and_lists_are_no_other_columns() -> None:
    learner = learners.arow()
    frame = pl.DataFrame({"v": [[1.0, 2.0], [3.0, 4.0]], "y": [True, False]})
    for use in (learner.learn_many, learner.predict_many, learner.learn_many):
        assert told(lambda use=use: use(frame)) == []
    assert told(lambda: learner.predict_many(frame.drop("y"))) == []
    learner = learners.arow()
    learner.learn_one({"a": 1.0, "job": "cook"}, True)
    assert told(lambda: learner.learn_many(FRAME.assign(y=[True, False]))) == []
    assert learner.schema.label == "y"
    (message,) = told(lambda: learner.predict_many(FRAME[["job"]]))
    assert "there is no column a" in message


def test_a_plan_for_a_frame_is_refused_with_the_remedy() -> None:
    learner = learners.arow()
    plan = pl.from_pandas(FRAME).lazy()
    for _ in range(2):
        for use in (learner.predict_many, lambda f: learner.learn_many(f, [True, False])):
            with pytest.raises(ValueError, match=r"LazyFrame.*: collect\(\) it first"):
                use(plan)
        learner.learn_many(plan.collect(), [True, False])
    with pytest.raises(ValueError, match=r"LazyFrame.*: collect\(\) it first"):
        from_frame(plan)


TWICE = ["b", "a", "a"]


@pytest.mark.parametrize(
    "frame",
    [pd.DataFrame([[1.0, 2.0, 3.0]], columns=TWICE), pa.table([[1.0], [2.0], [3.0]], names=TWICE)],
    ids=["pandas", "arrow"],
)
def test_a_column_that_comes_twice_is_named(frame) -> None:
    with pytest.raises(ValueError, match=r"the column 'a' twice: rename one"):
        learners.arow().learn_many(frame, [True])


def test_a_series_is_one_row() -> None:
    learner, twin = learners.arow(), learners.arow()
    for k, label in enumerate([True, False]):
        row = FRAME.iloc[k]
        learner.learn_one(row, label)
        twin.learn_one(row.to_dict(), label)
        assert learner.decision_one(row) == twin.decision_one(row.to_dict()) != 0.0
        assert learner.ask(row).margin == twin.ask(row.to_dict()).margin
    assert learner.weights() == twin.weights()
    with pytest.raises(ValueError, match="the Series has 'a' twice"):
        learner.predict_one(pd.Series([1.0, 2.0], index=["a", "a"]))
    numbered, other = learners.arow(), learners.arow()
    numbered.learn_one(pd.Series([1.0, 2.0]), True)
    other.learn_one([1.0, 2.0], True)
    assert numbered.predict_one(pd.Series([1.0, 2.0])) is True
    assert (numbered.weights() == other.weights()).all()
