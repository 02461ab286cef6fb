"""Blanks of any script around a value are no part of it, wherever it comes in."""

import csv
import io
import sys
from pathlib import Path
from typing import Any

import pytest
from doors import FRAMES, in_csv, in_dicts, in_frame, in_json, in_parquet

from fenchel import Schema
from fenchel.streams import open_stream

BLANKS = [chr(code) for code in range(1, sys.maxunicode) if chr(code).isspace()]


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
@pytest.mark.parametrize("declared", ["category", "number", "words", "text", "date"])
def test_blanks_around_a_value_are_no_part_of_it(
    declared: str, quoting: Any, tmp_path: Path
) -> None:
    schema = Schema({"v": declared})
    words = {"number": ["7", "true", "-1.5e3"], "date": ["2024-02-29"]}
    edged = [f"{b}{w}{b}" for b in BLANKS for w in words.get(declared, ["red", "ü", "日本"])]
    values = edged + [f"{b}{w}{b}" for b in BLANKS for w in ("", "NA", "?", "null")]
    wanted = in_dicts(schema, [value.strip() for value in values])
    assert in_dicts(schema, values) == in_json(schema, values) == wanted
    for kind in FRAMES:
        assert in_frame(kind, schema, values) == wanted, kind
    assert in_parquet(schema, values, tmp_path) == wanted
    assert in_csv(schema, values, quoting) == wanted


def test_characters_that_look_like_blanks_are_kept() -> None:
    schema = Schema(categorical=["v"])
    values = [
        "\u200bx",
        "x\ufeff",
        "\u180ex",
        "à",
        "\u2800",
        "\u3001x\u3001",
        "x\x1b",
        "\x7fx",
        "\x01",
    ]
    wanted = [{f"v={value}": 1.0} for value in values]
    assert in_csv(schema, values) == in_dicts(schema, values) == wanted


def test_blanks_in_labels_and_identifiers_are_kept() -> None:
    text = 'id,a,y\n" r1",1," yes"\n"r2 ",2,no\xa0\n'
    (block,) = open_stream(
        io.BytesIO(text.encode()), format="csv", schema=Schema(id="id"), label="y"
    )
    assert list(block.ids or ()) == [" r1", "r2 "]
    assert list(block.labels) == [" yes", "no\xa0"]
