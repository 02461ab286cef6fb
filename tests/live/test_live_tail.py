"""Files that grow, are rotated, cut, or new in a folder."""

import os

import pytest

from fenchel.streams import BadInput, open_stream
from fenchel.streams.inboxes import Address, open_inbox
from fenchel.streams.inboxes.inbox import advance


def texts(pattern, marks=None):
    """What is there to read, and the marks behind it."""
    inbox, found, marks = open_inbox(Address.parse(f"tail:{pattern}"), marks), [], dict(marks or {})
    while messages := inbox.take(3, 0.0):
        found += [m.data.decode() for m in messages]
        advance(marks, messages)
    inbox.close()
    return found, marks


def test_a_file_that_grows_is_read_once(tmp_path):
    log = tmp_path / "a.log"
    log.write_text("1\n2\n3\n4\nhalf")
    found, marks = texts(log)
    assert found == ["1", "2", "3", "4"]
    with log.open("a") as file:
        file.write(" a line\n6\n")
    assert texts(log, marks)[0] == ["half a line", "6"]


def test_a_rotated_file_is_read_once_and_to_its_end(tmp_path):
    log = tmp_path / "a.log"
    log.write_text("1\n2\n")
    _, marks = texts(f"{log}*")
    with log.open("a") as file:
        file.write("3\n")
    os.replace(log, tmp_path / "a.log.1")
    log.write_text("4\n")
    found, marks = texts(f"{log}*", marks)
    assert found == ["3", "4"]
    os.replace(tmp_path / "a.log.1", tmp_path / "a.log.2")
    os.replace(log, tmp_path / "a.log.1")
    log.write_text("5\n")
    assert texts(f"{log}*", marks)[0] == ["5"]


def test_a_file_renamed_out_of_the_pattern_is_read_to_its_end(tmp_path):
    log = tmp_path / "a.log"
    log.write_text("1\n")
    inbox = open_inbox(Address.parse(f"tail:{log}"))
    assert [m.data for m in inbox.take(9, 0.0)] == [b"1"]
    with log.open("a") as file:
        file.write("2\n")
    os.replace(log, tmp_path / "old")
    log.write_text("3\n")
    assert [m.data for _ in "23" for m in inbox.take(9, 0.0)] == [b"2", b"3"]
    inbox.close()


def test_new_files_of_a_folder_come_in_the_order_of_their_numbers(tmp_path):
    for name in ("day-10", "day-9"):
        (tmp_path / name).write_text(f"{name}\n")
    found, marks = texts(f"{tmp_path}/day-*")
    assert found == ["day-9", "day-10"]
    (tmp_path / "day-11").write_text("day-11\n")
    (tmp_path / "day-12.gz").write_bytes(b"packed")
    assert texts(f"{tmp_path}/day-*", marks)[0] == ["day-11"]


def test_a_file_that_was_cut_is_read_from_its_start(tmp_path):
    log = tmp_path / "a.log"
    log.write_text("1\n2\n")
    _, marks = texts(log)
    log.write_text("other\n")  # the same inode
    assert texts(log, marks)[0] == ["other"]


def test_a_copied_file_is_known_by_its_beginning(tmp_path):
    log = tmp_path / "a.log"
    log.write_text("1\n2\n")
    _, marks = texts(log)
    (tmp_path / "b").write_text("1\n2\n3\n")
    os.replace(tmp_path / "b", log)
    assert texts(log, marks)[0] == ["3"]


def test_a_stream_of_blocks_goes_on_from_its_marks(tmp_path):
    data = tmp_path / "a.vw"
    data.write_text("1 | a\n-1 | b\n")
    first = open_stream(f"tail:{data}", drain=True)
    assert [block.labels.tolist() for block in first] == [[1.0], [-1.0]]
    with data.open("a") as file:
        file.write("1 | c\n")
    rest = open_stream(f"tail:{data}", drain=True, marks=first.marks, names=first.names)
    (block,) = rest
    assert (block.labels.tolist(), block.indices.tolist(), block.ids[0][-3:]) == ([1.0], [2], ":13")


def test_a_stream_says_which_message_is_bad(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"label": 1, "x": 2}\n{"label": 1, "x"}\n')
    with pytest.raises(
        BadInput, match=r"message a.jsonl:\d+:21: .*; write one JSON object a message"
    ):
        list(open_stream(f"tail:{tmp_path}/*.jsonl", drain=True))
    skipping = open_stream(f"tail:{tmp_path}/*.jsonl", drain=True, on_error="skip")
    assert sum(map(len, skipping)) == len(skipping.skipped) == 1


def test_parquet_does_not_come_by_the_message(tmp_path):
    with pytest.raises(
        BadInput, match="parquet does not come by the message; send jsonl, vw, svmlight, csv"
    ):
        open_stream(f"tail:{tmp_path}/*.parquet")


@pytest.mark.parametrize("mark", [3, ["a", "1:00", "x"], ["a"], None], ids=str)
def test_a_mark_of_another_form_is_refused(tmp_path, mark):
    with pytest.raises(ValueError, match="the place to go on from is of the wrong form"):
        open_inbox(Address.parse(f"tail:{tmp_path}/*"), {"7": mark})
