"""Dicts read by compiled code are those read one by one, and odd ones are told apart."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fenchel import Schema, learners
from fenchel._numba.choice import READS_DICTS
from fenchel.learners import features
from fenchel.streams import Names

NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(-1e9, 1e9).map(np.float64),
    st.floats(-1e9, 1e9, width=32).map(np.float32),
    st.integers(-(2**70), 2**70),
    st.booleans(),
)
NAMES = st.text(alphabet="abcå=", max_size=2)


def filled(x, known, compiled, learning=True):
    """Columns, values and new names of a dict."""
    row, schema = features.SingleRow(), Schema()
    schema.is_plain = compiled  # otherwise read one by one
    new = row.fill(x, Names.of(known), schema, learning)
    count = row.rows.indptr[1]
    return row.rows.indices[:count].tolist(), row.rows.values[:count].tolist(), dict(new)


@settings(max_examples=300, deadline=None)
@given(
    x=st.dictionaries(NAMES, st.one_of(NUMBERS, st.sampled_from(["a", "b"]))),
    known=st.lists(NAMES, unique=True),
    learning=st.booleans(),
)
def test_compiled_and_one_by_one_agree(x, known, learning):
    if any(isinstance(x[name], str) for name in x if name in known):
        return  # text in a column of numbers is refused
    assert filled(x, known, True, learning) == filled(x, known, False, learning)


@pytest.mark.skipif(not READS_DICTS, reason="dicts are not read by compiled code here")
@settings(max_examples=200, deadline=None)
@given(
    several=st.lists(
        st.one_of(st.dictionaries(NAMES, NUMBERS, max_size=30), st.just([1.0])), max_size=12
    ),
    known=st.lists(NAMES, unique=True),
)
def test_several_rows_at_once_are_those_one_by_one_as_far_as_all_is_known(several, known):
    rows = features.SingleRow().known_rows(several, Names.of(known), Schema())
    count = 0 if rows is None else len(rows.indptr) - 1
    for k in range(count):
        begin, end = rows.indptr[k : k + 2]
        found = rows.indices[begin:end].tolist(), rows.values[begin:end].tolist()
        assert (*found, {}) == filled(several[k], known, True)
    for x in several[count : count + 1]:  # the first that is left has something odd, or new
        numbers = type(x) is dict and all(type(value) is float for value in x.values())
        assert not (numbers and {name for name in x if x[name]} <= set(known))


@pytest.mark.skipif(not READS_DICTS, reason="dicts are not read by compiled code here")
@pytest.mark.parametrize("value", [2.5, np.float64(2.5), 3, True, -(2**62)])
def test_plain_numbers_are_read_by_compiled_code(value, monkeypatch):
    monkeypatch.setattr(features.SingleRow, "_one_by_one", None)
    columns, values, new = filled({"a": value, "b": 1.0}, ["b"], True)
    assert (columns, values, new) == ([0, 1], [1.0, float(value)], {"a": 1})


def test_a_number_written_as_text_is_the_number_in_a_column_of_numbers():
    learner, twin = learners.perceptron(), learners.perceptron()
    for each, second in ((learner, "1.5"), (twin, 1.5)):
        each.learn_one({"a": 1.0}, True)
        each.learn_one({"a": second}, False)
    assert learner.weights() == twin.weights()


def test_refusals_leave_names_and_weights():
    learner = learners.perceptron()
    learner.learn_one({"a": 1.0}, True)
    learner.learn_one({"a": 1.0, "b": 2.0}, False)
    before = learner.weights(), learner.rounds, learner.classes
    for x, y in (
        ({"a": 1.0, "c": float("inf")}, True),
        ({"a": 10**400}, True),
        ({"a": "word"}, True),
        ({3: 1.0}, True),
        ({"a": 1.0, "c": 1.0}, "a third"),
    ):
        with pytest.raises(ValueError, match=r"finite|number|strings|third"):
            learner.learn_one(x, y)
        assert (learner.weights(), learner.rounds, learner.classes) == before


HALVES = {
    "a word": {"a": 1.0, "t": "\udc85"},
    "the name of a number": {"k\udc85": 1.0},
    "the name of a list": {"k\udc85": []},
    "an object's name": {"b": {"c\udc85": 2}},
    "a known name before": {"a": 2.0, "new": 1.0, "\ud83d": 1.0},
}


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("bits", [None, 8])
@pytest.mark.parametrize("x", HALVES.values(), ids=HALVES)
def test_half_of_a_surrogate_pair_is_refused_and_nothing_learned(
    x, bits, plain, monkeypatch, tmp_path
):
    if plain:
        monkeypatch.setattr(features, "READS_DICTS", False)
    learner = learners.arow(schema=Schema(bits=bits))
    learner.learn_one({"a": 1.0}, True)
    before, weights, names = learner.schema.copy(), learner.weights(), list(learner.names)
    for use in (
        lambda: learner.learn_one(x, False),
        lambda: learner.predict_one(x),
        lambda: learner.ask(x),
        lambda: learner.learn_many([{"a": 1.0}, x], [True, False]),
        lambda: learner.predict_many([x]),
    ):
        with pytest.raises(ValueError, match=r"[xX]\[.*\\ud.*surrogate pair.*; decode the text"):
            use()
        assert (learner.rounds, learner.schema, learner.weights()) == (1, before, weights)
        assert list(learner.names) == names
    learner.save(tmp_path / "m")
    learner.learn_many([{"a": 1.0, "é": 2.0}], [False])
    assert len(learner.predict_many([{"a": 1.0, "é": 1.0}])) == 1


def test_whole_characters_of_any_script_are_names():
    learner, twin = learners.arow(), learners.arow()
    for x in ({"é": 1.0, "男": 2.0}, {"😀": 1.0, "é": 0.5}):
        learner.learn_one(x, True)
        twin.learn_many([x], [True])
    assert learner.weights() == twin.weights()
    assert list(learner.names) == ["é", "男", "😀"]


@pytest.mark.parametrize("rows", [None, [{"a": 1.0}, {"b": 1.0}], [[1.0, 0.0], [0.0, 1.0]]])
@pytest.mark.parametrize("nothing", [[], ()])
def test_no_rows_give_nothing_and_teach_nothing(rows, nothing):
    several = learners.one_against_rest(learners.perceptron())
    for learner, labels in (
        (learners.arow(), [True, False]),
        (several, ["a", "b"]),
        (learners.multi_output(learners.lms()), [[1.0, 2.0], [2.0, 1.0]]),
    ):
        if rows is not None:
            learner.learn_many(rows, labels)
        before = learner.rounds, learner.columns, learner.classes, learner.names is None
        assert len(learner.predict_many(nothing)) == 0
        assert len(learner.decision_many(nothing)) == 0
        assert len(learner.learn_many(nothing, [])) == 0
        assert len(learner.learn_many(nothing, np.array([]))) == 0
        assert len(learner.learn_many(nothing)) == 0
        if learner.classes:
            assert learner.predict_proba_many(nothing).shape == (0, 2)
        assert (learner.rounds, learner.columns, learner.classes, learner.names is None) == before
        with pytest.raises(ValueError, match="give"):
            learner.learn_many(nothing, labels)
        if rows is not None:
            assert len(learner.predict_many(rows)) == 2
    assert len(learners.arow().decision_many(np.array([]))) == 0


def test_one_row_without_numbers_is_a_row():
    learner = learners.lms()
    for x in ([], np.array([])):
        learner.learn_one(x, 2.0)
        assert learner.predict_one(x) == learner.decision_one(x) > 0.0
        learner.ask(x)
    assert learner.rounds == 2


def test_wide_and_empty_rows():
    learner, twin = learners.arow(), learners.arow()
    wide = {f"f{j}": j / 100.0 for j in range(300)}
    for x in ({}, wide, {"f7": 1.0}, {}, wide):
        learner.learn_one(x, True)
        twin.learn_one(dict(reversed(x.items())) if len(x) < 2 else x, True)
    assert learner.weights() == twin.weights()
    assert learner.decision_one({"f7": 1.0}) == twin.decision_one({"f7": 1.0, "new": 0.0})


def test_targets_of_any_number_kind():
    learner, twin = learners.lms(), learners.lms()
    for y in (1.0, 2, np.float64(3.0), np.int64(4)):
        learner.learn_one({"a": 1.0}, y)
        twin.learn_one({"a": 1.0}, float(y))
    assert learner.weights() == twin.weights()


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.lists(st.integers(0, 200), unique=True, max_size=60),
            st.sampled_from(["learned", "refused", "another dict"]),
        )
    )
)
def test_the_table_of_names_follows_the_dict(examples):
    row, names = features.SingleRow(), Names()
    for picks, fate in examples:
        x = {f"å{j}" if j % 2 else f"w{j}": float(j) for j in picks}
        new = row.fill(x, names, Schema(), True)
        expected = dict(names.by_name)
        for name in x:
            if x[name]:
                expected.setdefault(name, len(expected))
        columns = sorted(expected[name] for name in x if x[name])
        assert row.rows.indices[: row.rows.indptr[1]].tolist() == columns
        assert {**names.by_name, **new} == expected
        if fate == "learned":
            names.add(new)
        elif fate == "another dict":  # of the same length, with other columns
            names = Names.of(reversed(list(names)))


def test_order_of_the_names_in_a_dict_makes_no_difference():
    """Columns are put in order before they are learned."""
    rng = np.random.default_rng(0)
    mixed, sorted_ = learners.scale_invariant_p_norm(), learners.scale_invariant_p_norm()
    names = [f"n{i:02d}" for i in range(30)]
    for learner in (mixed, sorted_):
        learner.learn_one(dict.fromkeys(names, 1e-9), True)
    for _ in range(100):
        chosen = rng.permutation(30)[: rng.integers(1, 25)].tolist()
        values = (
            rng.standard_normal(len(chosen)) * 10.0 ** rng.integers(-6, 7, len(chosen))
        ).tolist()
        x = {names[k]: value for k, value in zip(chosen, values, strict=True)}
        ordered = dict(sorted(x.items()))
        assert mixed.decision_one(x) == sorted_.decision_one(ordered)
        label = bool(rng.random() < 0.5)
        mixed.learn_one(x, label)
        sorted_.learn_one(ordered, label)
