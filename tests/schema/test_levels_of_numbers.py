"""A number is one level wherever it comes in, by its own digits."""

from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from doors import FRAMES, in_a_list, in_csv, in_dicts, in_export, in_frame, in_json, in_parquet

from fenchel import Schema

WHOLE = [12345678901234567, 12345678901234568, 10**15, -(10**15), 2**62 + 1, 7, 0, -3]


def test_whole_numbers_are_levels_by_all_their_digits(tmp_path: Path) -> None:
    schema = Schema(categorical=["v"])
    wanted = [{f"v={value}": 1.0} for value in WHOLE]
    longs = np.array(WHOLE)
    assert in_dicts(schema, WHOLE) == in_dicts(schema, list(map(str, WHOLE))) == wanted
    assert in_dicts(schema, list(longs)) == in_dicts(schema, list(map(Decimal, WHOLE))) == wanted
    assert in_a_list(schema, WHOLE) == {name for features in wanted for name in features}
    for kind in FRAMES:
        assert in_frame(kind, schema, longs) == wanted, kind
    assert in_frame("pandas", schema, longs.astype(object)) == wanted
    assert in_frame("arrow", schema, pa.array(WHOLE).cast(pa.decimal128(20, 0))) == wanted
    assert in_parquet(schema, longs, tmp_path) == wanted
    assert in_json(schema, WHOLE) == in_csv(schema, WHOLE) == wanted
    assert in_export(schema, WHOLE) == in_export(schema, list(longs)) == wanted


def test_whole_numbers_beyond_64_bits() -> None:
    schema, values = Schema(categorical=["v"]), [2**64 - 1, 2**64 + 1, 10**40]
    wanted = [{f"v={value}": 1.0} for value in values]
    assert in_dicts(schema, values) == in_json(schema, values) == in_csv(schema, values) == wanted
    assert in_frame("pandas", schema, pd.Series(values[:1], dtype="uint64")) == wanted[:1]


def test_a_large_fraction_and_the_whole_number_that_it_equals_are_two_levels() -> None:
    mixed = [1e15, 10**15, 1e15, True, 1]
    found = in_frame("pandas", Schema(categorical=["v"]), pd.Series(mixed, dtype=object))
    assert found == in_dicts(Schema(categorical=["v"]), mixed)
    assert list(found[0]) != list(found[1])


def test_numbers_of_seven_digits_are_levels_by_these(tmp_path: Path) -> None:
    schema, values = Schema(categorical=["v"]), [0.1, 2.5, 7.0, 1e-5, 16777216.0, -3.3, 1.1e20]
    narrow = np.array(values, np.float32)
    texts = ["0.1", "2.5", "7", "1e-05", "16777216", "-3.3", "1.1e+20"]
    wanted = [{f"v={text}": 1.0} for text in texts]
    assert in_dicts(schema, list(narrow)) == in_export(schema, list(narrow)) == wanted
    assert in_a_list(schema, list(narrow)) == {name for features in wanted for name in features}
    for kind in FRAMES:
        assert in_frame(kind, schema, narrow) == wanted, kind
    assert in_parquet(schema, narrow, tmp_path) == wanted
    assert in_dicts(schema, [np.float16(0.1)]) == [{"v=0.1": 1.0}]
    assert in_frame("pandas", schema, pd.array([0.1, None], "Float32")) == [{"v=0.1": 1.0}, {}]
    numbers = Schema({"v": "number"})
    wide = [{"v": float(number)} for number in narrow]
    assert in_dicts(numbers, list(narrow)) == in_frame("polars", numbers, narrow) == wide
