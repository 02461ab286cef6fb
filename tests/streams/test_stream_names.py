"""The table of names: exact, hashed, written and read."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils import murmurhash3_32

from fenchel.streams import Names
from fenchel.streams import names as names_module

some_names = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=6), max_size=60)


@settings(max_examples=200, deadline=None)
@given(some_names)
def test_columns_are_numbered_in_order_of_arrival(words: list[str]) -> None:
    names = Names()
    expected: dict[str, int] = {}
    for word in words:
        assert names.find(word) == expected.get(word)
        assert names.column(word) == expected.setdefault(word, len(expected))
    assert len(names) == len(expected)
    assert [names.name(k) for k in range(len(names))] == list(expected)


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="^"), max_size=20))
def test_the_hash_is_murmur3(word: str) -> None:
    if not (word.isascii() and word.isdigit()) and word:
        seed = murmurhash3_32("space", seed=0, positive=True)
        mask = (1 << 24) - 1
        plain = murmurhash3_32(word, seed=0, positive=True)
        assert Names(24).column(word) == plain & mask
        spaced = murmurhash3_32(word, seed=int(np.uint32(seed)), positive=True)
        assert Names(24).column(f"space^{word}") == spaced & mask


def test_many_names() -> None:
    words = [f"name {k * 7919}" for k in range(50_000)]
    names = Names()
    columns = names.columns(*names_module.joined(words))
    np.testing.assert_array_equal(columns, np.arange(50_000))
    assert names.find(words[31_415]) == 31_415
    assert names.name(49_999) == words[49_999]


@settings(max_examples=100, deadline=None)
@given(some_names, st.sampled_from([None, 1, 4, 20]))
def test_written_and_read(words: list[str], bits: int | None) -> None:
    names = Names(bits)
    for word in words:
        names.column(word)
    again = Names.from_arrays(names.to_arrays())
    assert (again.bits, len(again), again.kept, again.collisions) == (
        names.bits, len(names), names.kept, names.collisions,
    )  # fmt: skip
    assert [again.column(word) for word in words] == [names.column(word) for word in words]
    for column in {names.column(word) for word in words}:
        assert again.name(column) == names.name(column)
    assert {k: a.tobytes() for k, a in again.to_arrays().items()} == {
        k: a.tobytes() for k, a in names.to_arrays().items()
    }


@pytest.mark.parametrize(
    "arrays",
    [
        {"text": b"ab", "offsets": [0, 3]},
        {"text": b"ab", "offsets": [1, 2]},
        {"text": b"ab", "offsets": [0, 2, 1, 2]},
        {"text": b"ab", "offsets": []},
        {"text": b"aa", "offsets": [0, 1, 2]},
        {"text": b"\xff", "offsets": [0, 1]},
        {"text": b"a", "offsets": [0, 1], "bits": [3], "shared": [8]},
        {"text": b"a", "offsets": [0, 1], "bits": [99], "shared": []},
    ],
)
def test_damaged_arrays(arrays) -> None:
    plain = {
        key: np.frombuffer(value, np.uint8)
        if isinstance(value, bytes)
        else np.array(value, np.int64)
        for key, value in arrays.items()
    }
    with pytest.raises(ValueError, match=r"damaged|bits"):
        Names.from_arrays(plain)


def test_the_reverse_table_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names_module, "KEPT_NAMES", 3)
    names = Names(bits=16)
    columns = [names.column(word) for word in "abcdef"]
    assert names.kept == 3
    assert [names.name(column) for column in columns[:3]] == ["a", "b", "c"]
    assert names.name(columns[5]) == f"#{columns[5]}"


def test_find_with_bits_adds_nothing() -> None:
    names = Names(bits=8)
    assert names.find("a") == names.column("a")
    with pytest.raises(IndexError, match="no name has column 0"):
        Names().name(0)
