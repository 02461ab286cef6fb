"""The doors that untrusted bytes come through, each with the rule that must hold for any input."""

from __future__ import annotations

import io
import random
import tempfile
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np

from faults.test_bad_files import GOOD, HEADER, TABLE
from fenchel import Learner, learners, models
from fenchel.streams import BadInput, open_stream
from fuzz.guided import Target
from models.test_model_fuzz import TOKENS as HEADER_TOKENS
from models.test_model_fuzz import resealed

NUMBERS = [b"0", b"-0.0", b"1e400", b"-1e400", b"5e-324", b"nan", b"inf", b"1_000", b"0x1", b"1."]
NUMBERS += [b".5", b"1e", b"+1", b"4294967295", b"4294967296", b"9" * 25, b"0." + b"0" * 30 + b"1"]
ODD = [
    b"\0",
    b"\xff",
    b"\xc3",
    b"\xe7\x94\xb7",
    b"\xef\xbb\xbf",
    b"\r\n",
    b"\r",
    b"\n",
    b"\n\n",
    b" ",
]
TOKENS = {
    "svmlight": [b":", b"::", b"#", b"qid:", b"qid:3 ", b"1:1 ", b"2:", b" 3:0.5"],
    "vw": [b"|", b"|n ", b"'tag", b":", b"::", b" a", b"|n:2 ", b"1 2 3 't|"],
    "csv": [b",", b'"', b'""', b",,", b";", b"\t", b"?", b"NA", b'"a\nb"'],
    "jsonl": [b"{", b"}", b"[", b"]", b'"', b'"a"', b":", b",", b"null", b"true", b'"y": 1, '],
}
TOKENS["jsonl"] += [b"\\u0000", b"\\ud800", b'{"y": 1, "a": {"b": {"c": 1}}}', b'{"a":' * 300]


def _seeds(format: str) -> list[bytes]:
    header, good = HEADER.get(format, "").encode(), GOOD[format].encode()
    bad = [line.encode() if isinstance(line, str) else line for f, line, *_ in TABLE if f == format]
    return [header + good * 2, *(header + good + line + b"\n" for line in bad if len(line) < 500)]


def read(format: str, data: bytes) -> bool:
    """Either a refusal with its place, or rows that are all sound; skipping must count right."""
    on_error = ("stop", "skip")[len(data) % 2]
    chunk = 1 + len(data) // 2 if len(data) % 3 == 0 else 1 << 20
    stream = open_stream(
        io.BytesIO(data), format=format, on_error=on_error, threads=1, chunk_bytes=chunk
    )
    try:
        blocks = list(stream)
    except BadInput as error:
        return _told(error, "input:", error.line or 1, data.count(b"\n") + 2)
    rows = 0
    for block in blocks:
        ends = block.indptr
        assert ends[0] == 0
        assert (np.diff(ends) >= 0).all()
        assert ends[-1] == len(block.indices) == len(block.values)
        assert np.isfinite(block.values).all()
        assert len(block) == len(block.labels)
        if block.labels.dtype != object:
            assert np.isfinite(block.labels).all()
        if block.importance is not None:
            assert (block.importance >= 0.0).all()
            assert np.isfinite(block.importance).all()
        for start, stop in pairwise(ends):
            assert len(np.unique(block.indices[start:stop])) == stop - start, "no column twice"
        assert not len(block.indices) or block.indices.max() < stream.columns
        rows += len(block)
    assert len(stream.skipped.messages) == min(10, stream.skipped.count)
    assert all(message.isprintable() for message in stream.skipped.messages)
    return rows > 0


def _told(error: Exception, start: str, line: int = 1, most: int = 1) -> bool:
    """A refusal must be one printable line that begins with its place: then it is one."""
    message = str(error)
    if not (message.isprintable() and message.startswith(start) and 1 <= line <= most):
        raise AssertionError(message) from error
    return False


def saved_learners(path: Path) -> list[bytes]:
    """Small models of every kind of learner."""
    made = [
        learners.perceptron(),
        learners.arow(diagonal=False),
        learners.hedge([learners.perceptron(), learners.adagrad(l1=0.1)]),
        learners.one_against_rest(learners.passive_aggressive()),
        learners.gradient_descent(loss="squared", averaged=True),
    ]
    contents = []
    for learner in made:
        learner.learn_many([[1.0, 0.0], [0.5, -1.0]], [1, -1])
        learner.save(path)
        contents.append(path.read_bytes())
    named = learners.perceptron()
    named.learn_one({"a": 1.0, "né": 2.0}, "spam")
    named.save(path)
    return [*contents, path.read_bytes()]


def load(path: Path, content: bytes) -> bool:
    """Either a refusal in one line, or a learner that predicts and can be saved again."""
    path.write_bytes(content)
    try:
        learner = Learner.load(path)
    except models.ModelRefused as error:
        return _told(error, f"{path}: ")
    assert sum(array.nbytes for array in learner.state_arrays().values()) <= 8 * len(content)
    learner.save(path)
    return True


def _seal(content: bytes, chance: random.Random) -> bytes:
    """Digests put right, mostly: only then a mutant reaches the checks behind them."""
    end = content.find(b"}}")  # the end of the header, give or take what was put in
    end = len(content) if end < 0 else content.find(b"\0", end)
    if chance.random() < 0.05 or len(content) < 250:
        return content
    return resealed(content, max(8, len(content) if end < 0 else end))


def targets(folder: Path | None = None) -> dict[str, Target]:
    """Every door by name."""
    folder = Path(tempfile.mkdtemp()) if folder is None else folder
    readers = {
        format: Target(
            format, _seeds(format), [*TOKENS[format], *NUMBERS, *ODD], partial(read, format)
        )
        for format in GOOD
    }
    tokens = [*HEADER_TOKENS, b'\\"learner\\"', b'\\"part\\"', b'\\"columns\\":', b'\\"labels\\":[']
    tokens += [b'\\"arow\\"', b'\\"parameters\\":{', b'\\"classes\\":', b"{}", b"999999999999"]
    model = Target(
        "model",
        saved_learners(folder / "m"),
        [token for token in tokens if len(token) < 500],
        partial(load, folder / "m"),
        _seal,
    )
    return {**readers, "model": model}
