"""The definition of features: kinds, missing values, crosses, and what a schema refuses."""

import re
from datetime import datetime
from typing import Any

import numpy as np
import pandas as pd
import pytest

from fenchel import Schema
from fenchel.schema import CannotReadError, Category, Date, Number, Text, WordList, parse_column


@pytest.mark.parametrize("value", [7, 7.0, "7", " 7 ", np.int64(7), np.float32(7.0)])
def test_a_level_is_its_text_however_it_is_written(value: Any) -> None:
    assert Schema(categorical=["hr"]).features({"hr": value}) == {"hr=7": 1.0}


@pytest.mark.parametrize("value", [None, float("nan"), "", "NA", "?", pd.NA, pd.NaT])
def test_missing_values_give_nothing(value: Any) -> None:
    assert Schema().features({"a": value, "b": 2}) == {"b": 2.0}


def test_missing_values_may_mean_something() -> None:
    schema = Schema({"a": Number(missing="indicator"), "b": Number(missing=3.0)})
    assert schema.features({"a": None}) == {"a=?": 1.0, "b": 3.0}
    assert schema.features({}) == {"a=?": 1.0, "b": 3.0}
    assert schema.features({"a": 1.0, "b": "2"}) == {"a": 1.0, "b": 2.0}


def test_numbers_of_any_form() -> None:
    schema = Schema({"a": "number"})
    for value in (True, "true", 1, "1.0", np.bool_(True)):
        assert schema.features({"a": value}) == {"a": 1.0}
    for wrong in ("1_000", "one", "1,5", [1], 1j):
        with pytest.raises(CannotReadError, match="'a'"):
            schema.features({"a": wrong})


def test_texts_words_and_lists() -> None:
    schema = Schema({"t": Text(words=(1, 2)), "w": WordList(), "l": WordList(separator="|")})
    found = schema.features({"t": "Big RED big", "w": ["a", "b", "a"], "l": "x|y"})
    assert found == {
        "t=big": 2.0, "t=red": 1.0, "t=big red": 1.0, "t=red big": 1.0,
        "w=a": 2.0, "w=b": 1.0, "l=x": 1.0, "l=y": 1.0,
    }  # fmt: skip


def test_objects_inside_objects_and_lists_of_numbers() -> None:
    found = Schema().features({"car": {"doors": 5, "owner": {"name": "Ann"}}, "v": [0.5, 2]})
    assert found == {"car.doors": 5.0, "car.owner.name=Ann": 1.0, "v.0": 0.5, "v.1": 2.0}


def test_dates_of_any_form_agree() -> None:
    schema = Schema(date=["d"])
    moment = datetime(2024, 2, 29, 13, 30)
    forms = [moment, moment.isoformat(), "2024-02-29 13:30", pd.Timestamp(moment)]
    found = [schema.features({"d": form}) for form in forms]
    assert all(each == found[0] for each in found)
    assert found[0]["d.hour=13"] == found[0]["d.weekday=Thu"] == 1.0


def test_unseen_levels_share_a_feature_where_levels_are_limited() -> None:
    schema = Schema({"c": Category(levels=("red", "blue"))})
    assert schema.features({"c": "red"}) == {"c=red": 1.0}
    assert schema.features({"c": "mauve"}) == {"c=other": 1.0}


def test_a_schema_is_kept_whole() -> None:
    schema = Schema(
        {"t": Text(letters=(2, 4), lower=False), "n": Number(missing=1.5)},
        cross=["t,n", "*,*"], label="y", weight="w", id="k", bits=12, header=False, index_base=0,
    )  # fmt: skip
    schema.recognise("found", Category())
    again = Schema.from_json(schema.to_json())
    assert again == schema
    assert again.declared == schema.declared
    assert "found" not in schema.declared_only().kinds


def test_what_contradicts_itself_is_refused() -> None:
    with pytest.raises(ValueError, match="'a' is declared category and text: choose one"):
        Schema(categorical=["a"], text=["a"])
    with pytest.raises(ValueError, match=r"give a list of names, \['ab'\]"):
        Schema(text="ab")
    with pytest.raises(ValueError, match="choose one of number"):
        Schema({"a": "float"})
    with pytest.raises(ValueError, match="name three columns"):
        Schema(label="a", id="a")
    known = Schema({"a": "number"})
    with pytest.raises(ValueError, match="is known as number, not text"):
        known.extended(Schema(text=["a"]))
    with pytest.raises(ValueError, match="'a' is learned from: it cannot be the id"):
        known.extended(Schema(id="a"))


def test_dates_in_a_format_of_their_own() -> None:
    schema = Schema({"d": Date(format="%d/%m/%Y")})
    assert schema.features({"d": "29/2/2024"}) == schema.features({"d": datetime(2024, 2, 29)})
    assert schema.features({"d": "29/2/2024"}) == Schema(date=["d"]).features({"d": "2024-02-29"})
    with pytest.raises(CannotReadError, match="'2024-02-29' is not a date; write it as 31/12/2024"):
        schema.features({"d": "2024-02-29"})
    with pytest.raises(
        CannotReadError, match=r"Date\(format='%d/%m/%Y'\), or --date 'd:format=%d/%m/%Y'"
    ):
        Schema(date=["d"]).features({"d": "29/2/2024"})
    assert Schema.from_json(schema.to_json()) == schema


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        (Text, "body:words=2-x", "give a range such as 1-2"),
        (
            Text,
            "body:words=2-1",
            "words=2-1 in 'body:words=2-1': give a range such as 1-2, or 0 for none",
        ),
        (Text, "body:letters=0-3", "give a range such as 1-2, or 0 for none"),
        (Text, "body:counts=perhaps", "say yes or no"),
        (Text, "body:shortest=a", "give a whole number"),
        (Number, "age:missing=gone", "say absent, indicator or a number"),
        (Number, "age:mising=0", "has no option 'mising'; it has missing"),
        (Text, "body:counts=no,counts=yes", "twice"),
    ],
)
def test_options_of_a_column_that_mean_nothing_are_refused(kind, text, said) -> None:
    with pytest.raises(ValueError, match=said):
        parse_column(kind, text)


@pytest.mark.parametrize("lengths", [(2, 1), (0, 2), (-1, 2), (-2, -1), (1, 0), (1,), 2, None])
@pytest.mark.parametrize("key", ["words", "letters"])
def test_runs_that_cannot_be_are_refused(key: str, lengths: Any) -> None:
    told = rf"{key}={re.escape(repr(lengths))}: give .* such as \(1, 2\), or \(0, 0\) for none"
    with pytest.raises(ValueError, match=told):
        Text(**{key: lengths})


def test_runs_that_a_model_was_given_mean_what_they_did() -> None:
    schema = Schema({"t": Text(letters=(3, 3))})
    told = schema.to_json()
    for given, read in (([2, 1], (0, 0)), ([0, 2], (1, 2)), ([0, 0], (0, 0)), ([2, 3], (2, 3))):
        told["columns"]["t"]["words"] = given
        assert Schema.from_json(told).kinds == {"t": Text(words=read, letters=(3, 3))}


def test_a_column_may_be_named_again_without_its_options() -> None:
    known = Schema({"body": Text(words=(1, 2))})
    assert known.extended(Schema(text=["body"])).kinds == known.kinds
    with pytest.raises(ValueError, match="known as text, with other options"):
        known.extended(Schema({"body": Text(words=(2, 2))}))


def test_crosses_that_differ_are_told_as_they_are_declared() -> None:
    known = Schema(cross=["site,ad"])
    with pytest.raises(ValueError, match=r"^the model has crosses site,ad, not site,hr and a,b: "):
        known.extended(Schema(cross=["site,hr", "a,b"]))
    with pytest.raises(ValueError, match=r"crosses is 'site,ad' to one learner and 'a,b' to"):
        known.united(Schema(cross=["a,b"]))
    with pytest.raises(ValueError, match=r"^the model has crosses None, not site,ad: "):
        Schema(text=["t"]).extended(known)
