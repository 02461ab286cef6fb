"""A small mutational fuzzer on the reader: anything but a model or a one-line refusal is a bug.

Mutants get right digests again, so that they reach the checks behind them; one that is refused in a
new place joins the corpus. ``FENCHEL_FUZZ_SECONDS=3600 pytest tests/models/test_model_fuzz.py``
runs it for long; ``FENCHEL_FUZZ_SEED`` takes it elsewhere. ``one_input`` also suits a
coverage-guided fuzzer such as atheris.
"""

import os
import random
import re
import time
import traceback
from hashlib import sha256

import numpy as np

from fenchel import models
from fenchel.models.header import BLANK, DIGEST_AT, seal

SECONDS = float(os.environ.get("FENCHEL_FUZZ_SECONDS", "8"))
SEED = int(os.environ.get("FENCHEL_FUZZ_SEED", "30"))
TENSORS_DIGEST_AT = DIGEST_AT + len(BLANK) + len('","tensors_sha256":"')
TOKENS = [
    *[b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"\\\\", b"\\u0000", b"\\ud800", b" "],
    *[b"0", b"1", b"8", b"-1", b"1e400", b"0.5", b"NaN", b"Infinity", b"null", b"true"],
    *[str(1 << bits).encode() for bits in (31, 32, 62, 63, 64, 70)],
    *[b'"F64"', b'"F32"', b'"U8"', b'"BOOL"', b'"F16"', b'"dtype"', b'"shape"', b'"data_offsets"'],
    *[b'"__metadata__"', b'"model"', b'"sha256"', b'"a":', b"{}", b"[]", b"\x00", b"\xff"],
    *[b"[" * 2000, b'{"a":' * 2000, b"9" * 5000],
]


def seeds(path):
    arrays = {
        "a": np.arange(3.0),
        "b": np.array([[1, 2]], np.uint32),
        "c": np.array([True, False]),
        "d": np.zeros((0, 2)),
        "e": np.array(5, np.int64),
    }
    for count in range(len(arrays) + 1):
        chosen = dict(list(arrays.items())[:count])
        models.write(path, chosen, {"rounds": count, "learner": {"name": "arow", "r": [0.1]}})
        yield path.read_bytes()


def mutated(content, chance):
    """One change: a bit, a token put in, a slice dropped or repeated, a number replaced."""
    place = chance.randrange(len(content) + 1)
    end = min(len(content), place + chance.choice([1, 2, 8, 30]))
    kind = chance.randrange(5)
    if kind == 0 and place < len(content):
        flipped = bytes([content[place] ^ 1 << chance.randrange(8)])
        return content[:place] + flipped + content[place + 1 :]
    if kind == 1:
        return content[:place] + chance.choice(TOKENS) + content[place:]
    if kind == 2:
        return content[:place] + content[end:]
    if kind == 3:
        return content[:end] + content[place:]
    numbers = list(re.finditer(rb"\d+", content[TENSORS_DIGEST_AT + len(BLANK) :]))
    if not numbers:
        return content
    first, last = (TENSORS_DIGEST_AT + len(BLANK) + at for at in chance.choice(numbers).span())
    return content[:first] + chance.choice(TOKENS) + content[last:]


def resealed(content, header_end):
    """The content with its header's length and both digests put right."""
    head, payload = content[8:header_end], content[header_end:]
    head += b" " * (-(8 + len(head)) % 64)
    at = TENSORS_DIGEST_AT - 8
    head = head[:at] + sha256(payload).hexdigest().encode() + head[at + len(BLANK) :]
    return seal(len(head).to_bytes(8, "little") + head) + payload


def one_input(path, content):
    """Read a file of this content; return where it was refused, or nothing for a model."""
    with open(path, "r+b") as file:  # in place: emptying it first would wait for the disk
        file.write(content)
        file.truncate()
    refusal = None
    try:
        arrays, metadata = models.read(path)
    except models.ModelRefused as error:
        refusal = error
    if refusal is not None:
        assert str(refusal).isprintable()
        assert str(refusal).startswith(f"{path}: ")
        origin = refusal.__context__ or refusal
        return tuple(frame.lineno for frame in traceback.extract_tb(origin.__traceback__))
    assert sum(array.nbytes for array in arrays.values()) <= len(content)
    models.read(path, mmap=True)
    again = path.with_name("again")
    models.write(again, arrays, metadata)
    assert models.read(again)[0].keys() == arrays.keys()
    return ()


def test_mutants_are_read_or_refused(tmp_path, request):
    chance = random.Random(SEED)
    corpus = list(seeds(tmp_path / "seed"))
    (tmp_path / "mutant").touch()
    places = set()
    tried = accepted = 0
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        content = chance.choice(corpus)
        header_end = 8 + int.from_bytes(content[:8], "little")
        size = len(content)
        for _ in range(chance.choice([1, 1, 2, 4])):
            content = mutated(content, chance)
        if chance.random() < 0.9:
            content = resealed(content, max(8, header_end + len(content) - size))
        place = one_input(tmp_path / "mutant", content)
        tried += 1
        accepted += not place
        if place not in places:
            places.add(place)
            corpus.append(content)
    assert len(places) > 10
    assert accepted < tried
    request.node.user_properties.append(("mutants of model files read or refused", tried))
    request.node.user_properties.append(("mutants of model files read", accepted))
