"""A real redis-server: positions, groups, restarts, predictions once."""

import json
import time

import pytest

from fenchel import Schema, learners, live, models
from fenchel.streams import open_stream
from fenchel.streams.inboxes import Address, open_inbox
from fenchel.streams.inboxes.redis_inbox import AHEAD, BATCH
from live.live_streams import contents, json_lines


def learner():
    return learners.arow(schema=Schema(id="id", label="label"))


@pytest.fixture
def stream(request):
    return request.node.name


def place_of(path):
    (place,) = models.read_metadata(path)["live"].values()
    return place


def test_a_run_goes_on_whatever_the_broker_believes(redis_server, stream, tmp_path):
    address, lines = redis_server.address(stream), json_lines(120)
    for part in (lines[:50], lines[50:]):
        redis_server.add(stream, part)
        live.learn(address, learner(), save=str(tmp_path / "m"), skip=True)
        redis_server.client().xgroup_setid(stream, "fenchel", "0-0")
    (tmp_path / "a.jsonl").write_text("".join(f"{line}\n" for line in lines))
    live.learn(f"tail:{tmp_path}/a.jsonl", learner(), save=str(tmp_path / "whole"), skip=True)
    assert contents(tmp_path / "m") == contents(tmp_path / "whole")
    assert place_of(tmp_path / "m")["messages"] == len(lines)


def test_the_group_shows_what_is_saved(redis_server, stream, tmp_path):
    redis_server.add(stream, ['{"label": 1, "x": 1}'] * 5)
    live.learn(redis_server.address(stream), learner(), save=str(tmp_path / "m"))
    redis_server.add(stream, ['{"label": 1, "x": 1}'] * 2)
    (group,) = redis_server.client().xinfo_groups(stream)
    assert (group["name"], group["lag"], group["entries-read"]) == (b"fenchel", 2, 5)


def test_several_fields_are_an_object(redis_server, stream):
    redis_server.client().xadd(stream, {"label": "spam", "words": 3, "from": "bank"})
    stream = open_stream(redis_server.address(stream), drain=True)
    (block,) = stream
    assert (block.labels.tolist(), block.values.tolist()) == (["spam"], [3.0, 1.0])
    assert sorted(stream.names.first_columns()) == ["from=bank", "words"]


def test_from_the_end(redis_server, stream):
    redis_server.add(stream, ['{"label": 1, "x": 1}'] * 3)
    assert list(open_stream(redis_server.address(stream) + "?from=end", drain=True)) == []


def test_entries_deleted_unread_are_told(redis_server, stream, tmp_path):
    given = {"save": str(tmp_path / "m"), "skip": True}
    redis_server.add(stream, ['{"label": 1, "x": 1}'])
    live.learn(redis_server.address(stream), learner(), **given)
    redis_server.add(stream, ['{"label": 1, "x": 1}'] * 3)
    redis_server.client().xtrim(stream, maxlen=1, approximate=False)
    said = []
    live.learn(redis_server.address(stream), learner(), tell=said.append, **given)
    assert "deleted before they were learned" in said[0]


def test_predictions_that_are_there_are_not_sent_again(redis_server, stream, tmp_path):
    lines = json_lines(60)
    redis_server.add(stream, lines)
    given = {"predictions": redis_server.address(f"{stream}-out"), "skip": True}
    live.learn(redis_server.address(stream), learner(), save=str(tmp_path / "m"), **given)
    arrays, metadata = models.read(tmp_path / "m")
    (place,) = metadata["live"].values()
    sent = place["predictions"]["sent"]
    place |= {"marks": {}, "messages": 0, "predictions": {"sent": 0}}
    fresh = learner()
    fresh.save(tmp_path / "m")
    arrays, told = models.read(tmp_path / "m")  # as if killed before the first checkpoint
    models.write(tmp_path / "m", arrays, {**told, "live": metadata["live"]})
    live.learn(redis_server.address(stream), learner(), save=str(tmp_path / "m"), **given)
    numbers = [json.loads(line)["n"] for line in redis_server.all(f"{stream}-out")]
    assert numbers == list(range(1, sent + 1))


def test_a_broker_that_goes_away_is_waited_for(redis_server, stream, tmp_path):
    redis_server.add(stream, ['{"label": 1, "x": 1}'])
    said = []
    settings = live.LiveSettings(save=str(tmp_path / "m"), tell=said.append, drain=True)
    training = live.LiveTraining(redis_server.address(stream), learner(), settings)
    assert training.inbox.take(9, 5.0)
    redis_server.restart()
    redis_server.add(stream, ['{"label": 0, "x": 1}'])
    assert any(training.inbox.take(9, 0.5) for _ in range(20))
    training.inbox.close()
    assert [text.partition("/" + stream + ": ")[2][:8] for text in said[1:]] == ["answers "]


def test_what_is_no_stream_is_refused(redis_server, stream):
    redis_server.client().set(stream, "text")
    with pytest.raises(ValueError, match="name a stream"):
        list(open_stream(redis_server.address(stream), drain=True))


def test_reading_ahead_is_bounded(redis_server, stream):
    """A producer that is faster than the learner fills the broker, not the memory."""
    redis_server.add(stream, ["{}"] * 20_000)
    inbox = open_inbox(Address.parse(redis_server.address(stream)))
    inbox.take(1, 5.0)
    time.sleep(0.5)
    assert inbox._count <= BATCH * (AHEAD + 2)
    inbox.close()


def test_a_wrong_password_is_refused(redis_server, stream):
    redis_server.client().config_set("requirepass", "secret")
    try:
        with pytest.raises(ValueError, match="give redis://USER:PASSWORD@HOST/STREAM"):
            list(open_stream(redis_server.address(stream), drain=True))
        address = redis_server.address(stream).replace("//", "//:secret@")
        assert list(open_stream(address, drain=True)) == []
    finally:
        redis_server.client(password="secret").config_set("requirepass", "")
