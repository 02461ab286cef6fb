"""CSV by the message: the same model as from a file, whoever names the columns."""

import random

import pytest

from fenchel import Schema, learners, live
from fenchel.evaluate import progressive
from fenchel.streams import BadInput, Names, open_stream
from fenchel.streams.csv_messages import CsvRows, Dialect
from fenchel.streams.message_rows import UnfitError
from live.test_live_messages import cut, learned

COLUMNS = ["age", "job", "note", "income"]


def rows_of(count, seed=1):
    chance = random.Random(seed)
    for _ in range(count):
        age, job = (
            chance.choice(["", "0", "41", "5.25", "1e1"]),
            chance.choice(["cook", '"a, b"', "NA"]),
        )
        yield f"{age},{job},{chance.choice(['free money', ' '])},{'low' if job == 'cook' else 'high'}"


def from_file(path, **given):
    learner = learners.arow()
    progressive(learner, open_stream(path, **given))
    return learner


def test_a_tailed_file_is_learned_as_the_file_is(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("\n".join([",".join(COLUMNS), *rows_of(40)]) + "\n")
    here = live.learn(f"tail:{file}", learners.arow(), schema=Schema(ignore=["note"]))
    there = from_file(file, ignore=["note"])
    assert here.rounds == there.rounds == 40
    assert here.all_weights().tobytes() == there.all_weights().tobytes()
    assert list(here.names.first_columns()) == list(there.names.first_columns())
    assert (here.schema.label, here.classes) == ("income", ["high", "low"])
    assert here.predict_one({"job": "cook"}) == "low"


def test_each_file_has_a_header_of_its_own_and_a_start_goes_on_behind_it(tmp_path):
    (tmp_path / "1.csv").write_text("a,label\n1,0\n\n2,1\n")
    save = str(tmp_path / "m")
    assert live.learn(f"tail:{tmp_path}/*.csv", learners.arow(), save=save).rounds == 2
    (tmp_path / "2.csv").write_text("label;a\n1;7\n0;0\nlabel;a\n")
    with (tmp_path / "1.csv").open("a") as file:
        file.write("5,1\n")
    learner = live.learn(f"tail:{tmp_path}/*.csv", learners.arow(), save=save)
    assert (learner.rounds, list(learner.names.first_columns())) == (5, ["a"])


LINES = [
    "1,cook,q1,",
    "2,cook,,0",
    "3,law,,1",
    ",,q1,1",
    "4,cook",
    "x,law,,1",
    "5,law,,word",
    "6,,q2,",
] * 2


def test_cuts_make_no_difference_and_labels_may_come_late():
    found = []
    for size in (1, 3, len(LINES)):
        learner = learners.arow()
        schema = Schema(header=["n", "job", "id", "y"], id="id")
        told = learned(LINES, learner, "csv", cut(len(LINES), size), schema)
        found.append((told, learner.all_weights().tobytes(), learner.schema, learner.rounds))
    assert all(one == found[0] for one in found)
    assert (found[0][3], [r.reason for r in found[0][0][1]][:3]) == (6, [
        "2 cells for 4 columns; give each column a cell, if an empty one",
        "n: 'x' is not a number; correct it, or declare the column categorical",
        "the label 'word' is of another kind than those before; use one kind throughout",
    ])  # fmt: skip


@pytest.mark.parametrize(
    ("data", "header", "reason"),
    [
        (b"1,2", None, "the columns have no names; give --columns A,B,C"),
        (b"1,2", False, "the columns have no names"),
        (b"1,2\n3,4", None, "a row where the header should be ('1,2')"),
        (b"a,a\n3,4", None, "two columns have one name ('a')"),
        (b"\xff,1", ["a", "label"], "bytes that are not UTF-8"),
        (b'"a,1', ["a", "label"], "unexpected end of data"),
    ],
)
def test_why_a_line_is_refused(data, header, reason):
    rows = CsvRows(Schema(header=header), Names(), True, Dialect())
    with pytest.raises(UnfitError, match="^" + reason.replace("(", r"\(").replace(")", r"\)")):
        rows.row(data)


def test_decimal_commas_and_separators_are_as_said():
    rows = CsvRows(Schema(header=["a", "b", "y"]), Names(), True, Dialect(";", ","))
    assert rows.row(b"1,5;x,y;1\r\n") == {"a": 1.5, "b": "x,y", "y": "1"}


def test_columns_are_named_for_files_too(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("1,cook,0\n2,law,1\n")
    named = from_file(file, header=["n", "job", "y"])
    file.write_text("n,job,y\n1,cook,0\n2,law,1\n")  # a header after all
    assert (
        from_file(file, header=["n", "job", "y"]).all_weights().tobytes()
        == named.all_weights().tobytes()
    )
    with pytest.raises(BadInput, match="a row of 3 cells, 2 columns were named"):
        from_file(file, header=["n", "job"])


@pytest.mark.parametrize("wrong", ["a,b", [], ["a", "a"], [""], 3])
def test_a_header_is_a_list_of_names(wrong):
    with pytest.raises(ValueError, match="header="):
        Schema(header=wrong)


def test_the_named_columns_are_kept_in_the_model(tmp_path):
    schema = Schema(header=["a", "b"])
    assert Schema.from_json(schema.to_json()).header == ("a", "b")


def test_redis_lines_by_the_columns_of_the_address(redis_server):
    redis_server.add("table", ["1,0", "2,1"])
    address = redis_server.address("table") + "?format=csv&columns=a,label"
    assert live.learn(address, learners.arow()).rounds == 2
