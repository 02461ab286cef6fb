"""Replies of Redis as bytes: cut anywhere they give the same entries; batches are lists of messages."""

import random
from types import SimpleNamespace

import numpy as np
import pytest

from fenchel.streams.inboxes.inbox import Message, advance
from fenchel.streams.inboxes.line_batch import LineBatch
from fenchel.streams.inboxes.redis_replies import read_entries, strings
from fenchel.streams.labelled_lines import are_plain, count_labelled

redis = pytest.importorskip("redis", reason="redis-py is an extra: fenchel[redis]")


def bulk(text):
    return b"$%d\r\n%s\r\n" % (len(text), text)


def reply_of(entries, stream=b"s\r\n"):
    made = b"*1\r\n*2\r\n" + bulk(stream) + b"*%d\r\n" % len(entries)
    for id, fields in entries:
        made += b"*2\r\n" + bulk(id) + b"*%d\r\n" % len(fields) + b"".join(map(bulk, fields))
    return made


class Pieces:
    """A socket that hands out bytes in pieces."""

    def __init__(self, pieces):
        self._pieces = iter(pieces)

    def recv(self, size):
        return next(self._pieces, b"")


def read(*pieces):
    return read_entries(SimpleNamespace(_sock=Pieces(pieces)))


ENTRIES = [
    (b"1-0", [b"data", b"1 | a\r\n$3"]),
    (b"2-0", [b"a", b"", b"b", b"*2\r\n"]),
    (b"22-7", [b"d", b""]),
]


def found_in(entries):
    told = []
    for (a, b), (c, d), n in zip(*(x.tolist() for x in entries[1:]), strict=True):
        text = entries.reply[c:d]
        told.append((entries.reply[a:b], [text] if n == 2 else strings(text)))
    return told


def test_a_reply_may_be_cut_anywhere():
    whole = reply_of(ENTRIES)
    expected = [(id, fields if len(fields) > 2 else fields[1:]) for id, fields in ENTRIES]
    assert found_in(read(whole)) == expected
    assert all(found_in(read(whole[:k], whole[k:])) == expected for k in range(1, len(whole)))
    assert found_in(read(*(whole[k : k + 1] for k in range(len(whole))))) == expected


def test_nothing_errors_and_a_lost_connection():
    assert read(b"*-1\r\n") is None
    with pytest.raises(redis.BusyLoadingError):
        read(b"-LOADING Redis is loading\r\n")
    with pytest.raises(redis.ResponseError, match="WRONGTYPE"):
        read(b"-WRONGTYPE no stream\r\n")
    with pytest.raises(redis.ConnectionError):
        read(reply_of(ENTRIES)[:-5])


def batch_of(lines):
    data = b"".join(b"<" + line for line in lines)
    starts = np.cumsum([1] + [len(line) + 1 for line in lines])[:-1]
    stops = starts + [len(line) for line in lines]
    return LineBatch(data, starts, stops, lambda k, line: Message(str(k), line, "p", k + 1))


def test_a_batch_is_a_list_of_its_messages():
    batch = batch_of([b"a", b"", b"ccc"])
    assert [(m.id, m.data) for m in batch] == [("0", b"a"), ("1", b""), ("2", b"ccc")]
    assert (batch[-1], batch[1:][0].id, len(batch[5:])) == (Message("2", b"ccc", "p", 3), "1", 0)
    assert (batch.text(), batch[1:].text()) == (b"a\n\nccc\n", b"\nccc\n")
    marks = {}
    advance(marks, batch[:2])
    assert marks == {"p": 2}


def test_what_is_plain_by_compiled_code_is_plain_line_by_line():
    chance = random.Random(3)
    words = [
        b"1 | a",
        b"-1 |f a:2",
        b"0| a",
        b"| a",
        b"2 't | a",
        b"1 3:4",
        b"3:4 5:6",
        b"x | a",
        b"1 | a |b",
        b"1",
    ]
    for _ in range(300):
        lines = [chance.choice(words) for _ in range(chance.randint(1, 4))]
        data = b"".join(line + b"\n" for line in lines)
        plain = [line for line in lines if b"'" not in line and line[:1] in b"-0123456789"]
        apart = all(
            line[k - 1 : k] == b" "
            for line in lines
            for k in range(len(line))
            if line[k : k + 1] == b"|"
        )
        bars = data.count(b"|") >= len(lines)
        assert are_plain(data, "vw", len(lines)) == (len(plain) == len(lines) and apart and bars)
        first = all(b":" not in line.split()[0] for line in lines)
        assert are_plain(data, "svmlight", len(lines)) == (len(plain) == len(lines) and first)
        labelled = all(line[:1] in b"-0123456789" for line in lines) and apart
        assert count_labelled(data) == (data.count(b"\n") if labelled else 0)
