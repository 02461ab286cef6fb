"""Eight bytes at once: compiled against bytes one by one."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fenchel._numba import kernel
from fenchel.streams.eight_bytes import after_plain, eight_at, has_byte, up_to_eight
from fenchel.streams.utf8 import valid


@kernel
def looked_at(text, wanted, stop):
    return (
        eight_at(text, 0),
        up_to_eight(text, 0, stop),
        has_byte(eight_at(text, 0), wanted),
        after_plain(text, 0, len(text), wanted, wanted),
    )


@settings(max_examples=200, deadline=None)
@given(st.binary(min_size=8, max_size=40), st.integers(1, 127), st.integers(1, 12))
def test_any_bytes(given_bytes, wanted, stop):
    text = np.frombuffer(given_bytes, np.uint8).copy()
    eight, some, has, plain = looked_at(text, wanted, stop)
    assert eight == int.from_bytes(given_bytes[:8], "little", signed=True)
    assert some.to_bytes(8, "little", signed=True) == given_bytes[: min(stop, 8)].ljust(8, b"\0")
    assert has == (wanted in given_bytes[:8]) == has_byte(eight, wanted)
    blocks = [given_bytes[k : k + 8] for k in range(0, len(text) - 7, 8)]
    clean = [wanted not in block and 0 not in block for block in [*blocks]] + [False]
    assert plain == 8 * clean.index(False)


@kernel
def is_text(data):
    return valid(data, 0, len(data))


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=30) | st.text(max_size=30).map(lambda t: t.encode(errors="replace")))
def test_utf8_is_what_python_takes(given_bytes):
    try:
        given_bytes.decode()
        expected = True
    except UnicodeDecodeError:
        expected = False
    assert is_text(np.frombuffer(given_bytes, np.uint8).copy()) == expected
