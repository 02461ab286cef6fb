"""Numbers are read as Python's float reads them, bit for bit."""

from __future__ import annotations

import decimal
import math
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fenchel._numba import kernel
from fenchel.streams.decimal import NOT_A_NUMBER, NOT_FINITE, OK, number
from fenchel.streams.decimal_fallback import parse_exactly


@kernel
def parse(data, hard):
    return number(data, 0, hard)


def parsed(text: str) -> tuple[float, int, int]:
    data = np.frombuffer(bytearray(text.encode() + b"\n"), np.uint8)
    return parse_exactly(data, lambda hard: parse(data, hard))


def check(text: str) -> None:
    expected = float(text)
    value, end, status = parsed(text)
    if math.isinf(expected):
        assert status == NOT_FINITE
    else:
        assert (status, end) == (OK, len(text))
        assert struct.pack("d", value) == struct.pack("d", expected), text


@settings(max_examples=2000, deadline=None)
@given(
    st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(["r", ".18e", ".17g", ".25e"])
)
def test_doubles_written_in_many_ways(value: float, how: str) -> None:
    check(repr(value) if how == "r" else format(value, how))


@settings(max_examples=2000, deadline=None)
@given(
    st.from_regex(
        r"[+-]?([0-9]{1,30}(\.[0-9]{0,30})?|\.[0-9]{1,30})([eE][+-]?[0-9]{1,3})?", fullmatch=True
    )
)
def test_any_decimal_text(text: str) -> None:
    check(text)


@settings(max_examples=500, deadline=None)
@given(st.integers(0, 0x7FEFFFFFFFFFFFFE), st.sampled_from(["", "0000001", "9"]))
def test_midpoints_of_two_doubles(bits: int, tail: str) -> None:
    low = struct.unpack("d", struct.pack("Q", bits))[0]
    high = struct.unpack("d", struct.pack("Q", bits + 1))[0]
    with decimal.localcontext(prec=1200):
        text = format((decimal.Decimal(low) + decimal.Decimal(high)) / 2, "e")
    mantissa, _, exponent = text.partition("e")
    mantissa += "" if "." in mantissa or not tail else "."
    check(f"{mantissa}{tail}e{exponent or 0}")


@pytest.mark.parametrize(
    "text",
    ["0", "-0", "+1", "5.", ".5", "1e22", "1e23", "9007199254740993", "9007199254740992.9999999999",
     "1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308", "1e400", "1e-400",
     "5e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "2.2250738585072011e-308",
     "0" * 400 + "1", "0." + "0" * 400 + "1e401", "1" + "0" * 308, "1" * 900 + "e-890",
     *["1." + "0" * 60 + "7" * k + "e+124" for k in range(60, 68)],  # where the first look ends
     "1e99999999999999999999", "1e-99999999999999999999", "0e99999999999999999999"],
)  # fmt: skip
def test_notable_numbers(text: str) -> None:
    check(text)


@pytest.mark.parametrize("text", ["nan", "NaN", "-nan", "inf", "-Infinity", "+INF"])
def test_words_that_are_not_finite(text: str) -> None:
    assert parsed(text)[1:] == (len(text), NOT_FINITE)


@pytest.mark.parametrize("text", ["", "+", "-", ".", "e5", "x", "--1", "_1", "na", "in"])
def test_what_is_no_number(text: str) -> None:
    assert parsed(text)[2] == NOT_A_NUMBER


@pytest.mark.parametrize(
    ("text", "end"), [("1_000", 1), ("1e", 1), ("1e+", 1), ("0x1", 1), ("1.2.", 3)]
)
def test_a_number_ends_where_it_ends(text: str, end: int) -> None:
    assert parsed(text)[1:] == (end, OK)
