"""Moments of NumPy's are dates; truth values and durations are none, and it is said what to do."""

import numpy as np
import pandas as pd
import pytest
from doors import FRAMES, in_csv, in_dicts, in_export, in_frame, in_json

from fenchel import Schema
from fenchel.streams import BadInput

REFUSED = "is not a date.*; write a date, or declare the column a number or a category"


def test_truth_values_are_no_dates() -> None:
    schema = Schema(date=["v"])
    for value in (True, False, np.True_):
        with pytest.raises(ValueError, match=REFUSED):
            schema.features({"v": value})
        with pytest.raises(ValueError, match="could not convert"):
            in_export(schema, [value])
    for kind in FRAMES:
        with pytest.raises(BadInput, match=REFUSED):
            in_frame(kind, schema, [True, False])
    for read in (in_json, in_csv):
        with pytest.raises(BadInput, match=REFUSED):
            read(schema, [True])


@pytest.mark.parametrize("unit", ["D", "s", "us", "ns"])
def test_moments_of_numpy_are_dates(unit: str) -> None:
    moment = np.datetime64("2024-01-02", unit)
    wanted = in_dicts(Schema(date=["v"]), ["2024-01-02"])
    assert in_dicts(Schema(date=["v"]), [moment]) == in_dicts(Schema(), [moment]) == wanted
    assert in_frame("pandas", Schema(date=["v"]), pd.Series([moment])) == wanted
    assert in_frame("pandas", Schema(), pd.Series([moment])) == wanted
    assert in_export(Schema(date=["v"]), [moment])[0] == pytest.approx(wanted[0])
    assert in_dicts(Schema(), [np.datetime64("NaT", unit)]) == [{}]


def test_durations_say_that_seconds_are_wanted() -> None:
    remedy = "is not a real number; give its real part, or a duration's seconds"
    lasted = pd.to_timedelta([1, 2], "s")
    for schema in (Schema(), Schema(date=["v"])):
        for value in (lasted[0], lasted[0].to_pytimedelta(), lasted[0].to_numpy()):
            with pytest.raises(ValueError, match=remedy):
                schema.features({"v": value})
        for kind in FRAMES:
            with pytest.raises(BadInput, match=remedy):
                in_frame(kind, schema, lasted.to_numpy())


def test_a_date_that_no_calendar_has_is_not_told_of_other_formats() -> None:
    with pytest.raises(
        ValueError, match=r"'2024-13-45' is not a date; write it as 2024-12-31T23:59:59$"
    ):
        Schema(date=["v"]).features({"v": "2024-13-45"})
