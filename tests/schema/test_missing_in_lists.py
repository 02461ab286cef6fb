"""What is missing in a list of words or of numbers makes nothing."""

from pathlib import Path

import pandas as pd
from doors import FRAMES, in_dicts, in_export, in_frame, in_json, in_parquet

from fenchel import Schema

LISTS = [["red", None, "big"], [None], ["NA", "x"], ["red", "red", None]]


def test_missing_words_of_a_list_make_nothing(tmp_path: Path) -> None:
    schema = Schema(words=["v"])
    wanted = [{"v=red": 1.0, "v=big": 1.0}, {}, {"v=NA": 1.0, "v=x": 1.0}, {"v=red": 2.0}]
    assert in_dicts(schema, LISTS) == in_json(schema, LISTS) == in_export(schema, LISTS) == wanted
    assert in_dicts(schema, [["a", float("nan"), pd.NA]]) == [{"v=a": 1.0}]
    for kind in FRAMES:
        assert in_frame(kind, schema, LISTS) == wanted, kind
    assert in_parquet(schema, LISTS, tmp_path) == wanted
    assert Schema().features({"v": ["red", None]}) == {"v=red": 1.0}


def test_missing_numbers_of_a_list_make_nothing() -> None:
    values = [[0.5, None, 2.0], [None, 1.0, 3.0]]
    wanted = [{"v.0": 0.5, "v.2": 2.0}, {"v.1": 1.0, "v.2": 3.0}]
    assert in_dicts(Schema(), values) == in_json(Schema(), values) == wanted
    assert in_frame("polars", Schema(), values) == in_frame("arrow", Schema(), values) == wanted
