"""librdkafka's mock cluster: positions, the order of partitions, predictions once."""

import json

import pytest

from fenchel import Schema, learners, live
from fenchel.streams import BadInput, open_stream
from fenchel.streams.inboxes import Address, open_inbox
from live.live_streams import contents, json_lines


def learner():
    return learners.arow(schema=Schema(id="id", label="label"))


def taken(inbox, count):
    found = []
    while len(found) < count:
        found += inbox.take(4, 1.0)
    return found


def test_a_topic_is_learned_once_and_its_predictions_go_out_once(mock_kafka, tmp_path):
    lines, said = json_lines(150), []
    given = {
        "save": str(tmp_path / "m"),
        "predictions": mock_kafka.address("predictions"),
        "dead_letters": mock_kafka.address("letters"),
        "tell": said.append,
    }
    for part in (lines[:70], lines[70:]):
        mock_kafka.add("clicks", part)
        live.learn(mock_kafka.address("clicks"), learner(), **given)
    (tmp_path / "a.jsonl").write_text("".join(f"{line}\n" for line in lines))
    given = {"save": str(tmp_path / "whole"), "dead_letters": str(tmp_path / "letters")}
    live.learn(f"tail:{tmp_path}/a.jsonl", learner(), **given)
    assert contents(tmp_path / "m") == contents(tmp_path / "whole")
    numbers = [json.loads(line)["n"] for line in mock_kafka.all("predictions")]
    assert numbers == list(range(1, len(numbers) + 1))
    reasons = [json.loads(line)["reason"] for line in mock_kafka.all("letters")]
    kept = (tmp_path / "letters").read_text().splitlines()
    assert reasons == [json.loads(line)["reason"] for line in kept]
    assert said == []


def test_partitions_are_merged_by_time_then_number(mock_kafka):
    mock_kafka.add("several", ["a1", "a5"], 0, [1000, 5000])
    mock_kafka.add("several", ["b2", "b1"], 1, [2000, 1000])
    mock_kafka.add("several", ["c1", "c9"], 2, [1000, 9000])
    inbox = open_inbox(Address.parse(mock_kafka.address("several")))
    assert [m.data.decode() for m in taken(inbox, 6)] == ["a1", "c1", "b2", "b1", "a5", "c9"]
    assert inbox.lag() == 0
    inbox.close()
    rest = open_inbox(Address.parse(mock_kafka.address("several")), {"0": 1, "1": 1, "2": 2})
    assert [m.id for m in taken(rest, 2)] == ["several/1/1", "several/0/1"]
    rest.close()


def test_the_strict_order_waits_for_every_partition(mock_kafka):
    address = Address.parse(mock_kafka.address("several") + "?order=strict")
    inbox = open_inbox(address, {"0": 1, "1": 0, "2": 1})
    found = [m.id for _ in range(8) for m in inbox.take(9, 0.2)]
    assert found == ["several/1/0", "several/1/1"]  # partition 1 has no more: others may be later
    inbox.close()


def test_a_broker_that_goes_away_is_waited_for(mock_kafka):
    inbox = open_inbox(Address.parse(mock_kafka.address("clicks") + "?from=end"))
    inbox.take(1, 0.5)
    mock_kafka.restart()
    mock_kafka.add("clicks", ["later"])
    assert any(m.data == b"later" for _ in range(40) for m in inbox.take(9, 0.25))
    inbox.close()


def test_a_wrong_address_is_refused(mock_kafka):
    with pytest.raises(ValueError, match="give kafka://HOST/TOPIC"):
        open_stream(f"kafka://{mock_kafka.host}")
    with pytest.raises(ValueError, match="choose time or strict"):
        list(open_stream(mock_kafka.address("clicks") + "?order=any"))
    with pytest.raises(ValueError, match="choose start or end"):
        open_stream(mock_kafka.address("clicks") + "?from=noon")
    with pytest.raises(BadInput, match="does not come by the message"):
        open_stream(mock_kafka.address("clicks"), format="parquet")
