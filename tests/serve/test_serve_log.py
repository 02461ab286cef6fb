"""The log: what was acknowledged comes back to the last bit, and damage is told, not learned."""

import json
import os
import random

import pytest

from fenchel import learners
from fenchel.models import ModelRefused
from fenchel.serve import log
from fenchel.serve.log import Log, LogDamaged, Record
from fenchel.serve.model_folder import ModelFolder
from fenchel.serve.model_state import State
from fenchel.serve.rebuild import replayed
from fenchel.serve.settings import Limits


def examples(count, seed=0):
    chance = random.Random(seed)
    for k in range(count):
        x = {f"w{chance.randrange(40)}": chance.random() for _ in range(4)}
        yield json.dumps({"x": x, "y": chance.choice([0, 1]), "id": str(k)}).encode()


def records(count=60, rows=3):
    """Records of several rows, two kinds of text among them, one of them with a bad line."""
    made, position = [], 0
    lines = list(examples(count * rows))
    for k in range(count):
        payload = b"\n".join(lines[k * rows : (k + 1) * rows])
        kind = log.LEARN
        if k % 10 == 3:
            kind, payload = log.VW, b"1 |f a:%d b\n0 |f c\nbad\n" % k
        made.append(Record(position, 1000 + k, rows, kind, payload))
        position += rows
    return made


def started(path, specification="arow"):
    """A folder with a fresh model."""
    path.mkdir()
    folder = ModelFolder(path)
    learner = learners.arow() if specification == "arow" else learners.auto()
    folder.save(0, learner, State(learner, Limits()).to_json())
    return folder


def written(path, made):
    folder = started(path)
    file = Log(folder.file(0, "log"))
    file.append(made)
    file.close()
    return folder


def bytes_of(state, path):
    state.learner.save(path)
    return path.read_bytes(), state.to_json()


def learned(made, path):
    state = State(learners.arow(), Limits())
    for record in made:
        state.replay(record)
    return bytes_of(state, path)


def test_snapshot_and_log_give_the_same_bits_as_never_stopping(tmp_path):
    made = records()
    whole = learned(made, tmp_path / "whole")
    folder = written(tmp_path / "m", made[:20])
    state, open_log, _ = folder.recover(Limits())
    folder.save(state.position, state.learner, state.to_json())  # a snapshot without a new log
    open_log.close()
    second = Log(folder.file(state.position, "log"))
    second.append(made[20:])
    second.close()
    state, open_log, told = folder.recover(Limits())
    open_log.close()
    assert told == []
    assert bytes_of(state, tmp_path / "again")[0] == whole[0]
    assert state.position == made[-1].position + 3


def test_however_rows_were_joined_to_records_the_model_is_the_same(tmp_path):
    lines = list(examples(60))
    found = set()
    for size in (1, 7, 60):
        state, position = State(learners.arow(), Limits()), 0
        for begin in range(0, 60, size):
            part = lines[begin : begin + size]
            state.replay(Record(position, 5, len(part), log.LEARN, b"\n".join(part)))
            position += len(part)
        state.learner.save(tmp_path / "m")
        found.add((tmp_path / "m").read_bytes())
    assert len(found) == 1


def test_identifiers_learned_before_a_restart_are_not_learned_again(tmp_path):
    made = records(5)
    folder = written(tmp_path / "m", made)
    state, open_log, _ = folder.recover(Limits())
    open_log.close()
    rounds = state.learner.rounds
    state.replay(made[0]._replace(position=state.position))
    assert state.learner.rounds == rounds


def test_a_log_cut_at_any_byte_is_recovered_to_its_last_whole_record(tmp_path, request):
    made = records(6)
    folder = written(tmp_path / "m", made)
    data = folder.file(0, "log").read_bytes()
    ends = [len(log.MAGIC)]
    for record in made:
        ends.append(ends[-1] + len(record.encode()))
    for size in range(len(data)):
        folder.file(0, "log").write_bytes(data[:size])
        contents = log.read(folder.file(0, "log"), 0)
        assert len(contents.records) == max(0, sum(end <= size for end in ends) - 1)
        assert contents.torn == size - contents.end
    request.node.user_properties.append(("cuts of a server's log recovered", len(data)))


def test_a_log_flipped_at_any_byte_is_refused_or_loses_its_last_record(tmp_path, request):
    made = records(4)
    path = written(tmp_path / "m", made).file(0, "log")
    data = path.read_bytes()
    last = len(data) - len(made[-1].encode())
    for at in range(len(data)):
        path.write_bytes(data[:at] + bytes([data[at] ^ 0x41]) + data[at + 1 :])
        if at < last:
            with pytest.raises(LogDamaged, match="restore"):
                log.read(path, 0)
        else:
            assert log.read(path, 0).records == made[:-1]
    request.node.user_properties.append(("flips of a server's log found", len(data)))


def test_a_torn_end_is_cut_off_and_told_in_one_line(tmp_path):
    folder = written(tmp_path / "m", records(3))
    with folder.file(0, "log").open("ab") as file:
        file.write(b"half a record")
    _, open_log, told = folder.recover(Limits())
    open_log.append(records(4)[3:])
    open_log.close()
    assert len(told) == 1
    assert "13 bytes" in told[0]
    assert len(log.read(folder.file(0, "log"), 0).records) == 4


def test_a_damaged_snapshot_is_made_up_for_by_the_one_before(tmp_path):
    made = records(20)
    folder = written(tmp_path / "m", made)
    state, open_log, _ = folder.recover(Limits())
    open_log.close()
    folder.save(state.position, state.learner, state.to_json())
    Log(folder.file(state.position, "log")).close()
    file = folder.file(state.position, "fenchel")
    file.write_bytes(file.read_bytes()[:-1] + b"\x00")
    again, open_log, told = folder.recover(Limits())
    open_log.close()
    assert len(told) == 1
    assert bytes_of(again, tmp_path / "a")[0] == bytes_of(state, tmp_path / "b")[0]


def test_a_missing_log_is_refused(tmp_path):
    folder = written(tmp_path / "m", records(3))
    os.rename(folder.file(0, "log"), folder.file(6, "log"))
    with pytest.raises(LogDamaged, match="rows from 0 on are missing"):
        folder.recover(Limits())
    with pytest.raises(ModelRefused, match="no snapshot"):
        replayed(tmp_path, lambda task: None)


def test_when_the_disk_is_full_nothing_of_the_record_stays(tmp_path, monkeypatch):
    file = Log(tmp_path / "log")
    file.append(records(1))
    size, write = file.size, os.write

    def full(descriptor, data):
        if len(data) < 20:
            raise OSError(28, "No space left on device")
        return write(descriptor, data[:19])

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space left"):
        file.append(records(2)[1:])
    monkeypatch.undo()
    assert (tmp_path / "log").stat().st_size == file.size == size
    file.append(records(2)[1:])
    file.close()
    assert log.read(tmp_path / "log", 0).records == records(2)


def test_compaction_keeps_two_snapshots_and_all_that_is_needed(tmp_path):
    folder = started(tmp_path / "m")
    state, position = State(learners.arow(), Limits()), 0
    for record in records(12):
        if record.position % 9 == 0:
            folder.save(record.position, state.learner, state.to_json())
            file = Log(folder.file(record.position, "log"))
        file.append([record])
        state.replay(record)
    assert folder.compact(Limits(log_bytes=1)) == 2
    assert folder.positions("log") == folder.positions("fenchel") == [18, 27]
    again, open_log, _ = folder.recover(Limits())
    open_log.close()
    assert bytes_of(again, tmp_path / "a")[0] == bytes_of(state, tmp_path / "b")[0]
    assert position == 0


def test_questions_and_identifiers_are_forgotten_by_the_clock_of_the_log():
    limits = Limits(question_age=1.0, identifier_age=1.0, identifiers=2)
    state = State(learners.arow(), limits)
    state.replay(Record(0, 0, 1, log.ASK, b'{"id": "q", "x": {"a": 1}}'))
    for k in range(3):
        payload = b'{"x": {"a": 1}, "y": 1, "id": "%d"}' % k
        state.replay(Record(1 + k, 10, 1, log.LEARN, payload))
    assert list(state.memory.done.entries) == ["1", "2"]
    state.replay(Record(4, 2_000_000, 1, log.LEARN, b'{"x": {"a": 1}, "y": 0}'))
    assert (len(state.memory.questions), len(state.memory.done), state.memory.question_bytes) == (
        0,
        0,
        0,
    )


def test_replay_rebuilds_the_model_or_another(tmp_path):
    made = records(20)
    folder = written(tmp_path / "m", made)
    state, _ = replayed(folder.path, lambda task: None)
    assert bytes_of(state, tmp_path / "a")[0] == learned(made, tmp_path / "b")[0]
    other, _ = replayed(folder.path, lambda task: learners.perceptron())
    assert other.learner.name == "perceptron"
    assert other.learner.rounds == state.learner.rounds
