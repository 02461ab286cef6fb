"""What is brought to an evaluation: names are kept, and what is no learner or no stream is told."""

import io

import numpy as np
import pandas as pd
import pytest

from fenchel import learners
from fenchel.evaluate import compare, progressive
from fenchel.streams import from_arrays, from_frame, open_stream

FRAME = pd.DataFrame(
    {"age": [41.0, 52.0, 38.0], "job": ["cook", "lawyer", "cook"], "y": ["low", "high", "low"]}
)


def perceptron():
    """A learner whose weights have the same signs whichever class comes first."""
    return learners.perceptron(classes=["low", "high"])


def one_by_one(*frames):
    """A learner that met the rows as dicts."""
    learner = perceptron()
    for frame in frames:
        for row in frame.to_dict("records"):
            learner.learn_one({key: row[key] for key in row if key != "y"}, row["y"])
    return learner


def test_a_learner_keeps_the_names_of_a_stream(tmp_path) -> None:
    learner = perceptron()
    progressive(learner, from_frame(FRAME, label="y"))
    assert learner.weights() == one_by_one(FRAME).weights()
    assert set(learner.weights()) == {"age", "job=cook", "job=lawyer"}
    x = {"age": 40.0, "job": "lawyer"}
    assert learner.predict_one(x) == one_by_one(FRAME).predict_one(x)
    learner.learn_one({"town": 1.0}, "high")
    learner.save(tmp_path / "m")
    assert set(learners.Learner.load(tmp_path / "m").weights()) >= {"job=cook", "town"}


def test_compared_learners_keep_them_too() -> None:
    entrants = {"a": learners.perceptron(), "b": learners.arow()}
    compare(entrants, from_frame(FRAME))
    for learner in entrants.values():
        assert set(learner.weights()) == {"age", "job=cook", "job=lawyer"}


def test_names_mean_the_same_in_a_second_stream() -> None:
    other = FRAME[["job", "age", "y"]].assign(town=1.0)[::-1]
    learner = perceptron()
    progressive(learner, from_frame(FRAME, label="y"))
    progressive(learner, from_frame(other, label="y"))
    assert learner.weights() == one_by_one(FRAME, other).weights()
    both = perceptron()
    twice = from_frame(FRAME)
    progressive(both, twice)
    progressive(both, twice)
    assert both.weights() == one_by_one(FRAME, FRAME).weights()


def test_hashed_names_are_kept() -> None:
    learner = learners.perceptron()
    progressive(learner, from_frame(FRAME, bits=3))
    assert learner.names is not None
    assert learner.names.bits == 3


def test_arrays_stay_numbers() -> None:
    learner = learners.perceptron()
    progressive(learner, from_arrays([[1.0]], ["low"]))
    assert isinstance(learner.weights(), np.ndarray)


def test_columns_that_mean_something_else_are_refused() -> None:
    named, numbered = learners.perceptron(), learners.perceptron()
    progressive(named, from_frame(FRAME))
    numbered.learn_many([[1.0]], ["low"])
    with pytest.raises(ValueError, match="has named features, the stream numbered ones: give"):
        progressive(named, from_arrays([[1.0]], ["low"]))
    with pytest.raises(ValueError, match="has numbered features, the stream named ones: give"):
        progressive(numbered, from_frame(FRAME))
    read_before = from_frame(FRAME[["job", "age", "y"]])
    list(read_before)
    before = named.weights()
    with pytest.raises(ValueError, match=r"numbers its names otherwise .*: make the stream anew"):
        progressive(named, read_before)
    assert named.weights() == before


def test_a_specification_is_a_learner() -> None:
    score = progressive("perceptron", from_frame(FRAME))
    assert score.mistakes == progressive(learners.perceptron(), from_frame(FRAME)).mistakes
    result = compare({"a": "perceptron", "b": learners.arow()}, from_frame(FRAME))
    assert result.rounds == 3
    with pytest.raises(ValueError, match="did you mean arow"):
        progressive("arrow", from_frame(FRAME))


@pytest.mark.parametrize(
    ("given", "match"),
    [
        (FRAME, r"is a DataFrame: .* from_frame\(frame, label=…\)"),
        (np.ones((2, 2)), r"is a ndarray: .* from_arrays\(X, y\)"),
        ("data.csv", r"is a str: .* open_stream\(file\)"),
        ([[1.0], [2.0]], "is a list"),
        (None, "is None"),
        (3, "is a int"),
    ],
    ids=["frame", "array", "file", "list", "None", "number"],
)
def test_what_is_no_stream(given, match) -> None:
    with pytest.raises(ValueError, match=f"the stream {match}"):
        progressive(learners.perceptron(), given)
    with pytest.raises(ValueError, match=f"the stream {match}"):
        compare({"a": learners.perceptron()}, given)


@pytest.mark.parametrize(
    ("given", "match"),
    [
        (None, "the learner is None: give learners.arow"),
        (learners.arow, "the learner is arow not called: give"),
        (FRAME, "the learner is "),
        (from_frame(FRAME), "is a FrameStream: give the learner first, then the stream"),
    ],
    ids=["None", "a function", "a frame", "a stream"],
)
def test_what_is_no_learner(given, match) -> None:
    with pytest.raises(ValueError, match=match):
        progressive(given, learners.perceptron())


def test_a_learner_is_no_stream_and_a_list_no_names() -> None:
    with pytest.raises(ValueError, match="the stream is the learner arow: give the learner first"):
        progressive("arow", learners.arow())
    with pytest.raises(ValueError, match="the learners are a list: give them by name"):
        compare(["arow"], from_frame(FRAME))


def test_rows_without_labels_cannot_be_scored() -> None:
    with pytest.raises(ValueError, match="row 1 has no label to score by: give y to from_arrays"):
        progressive(learners.perceptron(), from_arrays([[1.0]]))


def test_queries_are_learned_whole_whatever_the_blocks() -> None:
    text = b"2 qid:1 1:3\n1 qid:1 1:2\n0 qid:1 1:1\n1 qid:2 1:5\n0 qid:2 1:4\n"

    def rows(**options):
        return open_stream(io.BytesIO(text), format="svmlight", **options)

    whole, cut = (learners.ranking(learners.perceptron()) for _ in range(2))
    progressive(whole, rows())
    progressive(cut, rows(block_rows=2))
    assert whole.weights().tolist() == cut.weights().tolist()
    assert whole.auc == cut.auc
    with pytest.raises(ValueError, match="ranking needs queries: write qid:NUMBER"):
        progressive(learners.ranking(learners.perceptron()), from_arrays([[1.0]], [1.0]))
