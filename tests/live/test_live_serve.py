"""A live source as input of the server: each message once, whenever the server is killed."""

import json
import os
import random
import threading
import time

import pytest

from fenchel import learners
from fenchel.serve import log
from fenchel.serve.feeding import parsed
from fenchel.serve.messages import encode
from fenchel.serve.model_folder import ModelFolder
from fenchel.serve.model_state import State
from fenchel.serve.settings import Limits
from fenchel.serve.source_messages import SourceMessages
from fenchel.streams.csv_messages import Dialect
from fenchel.streams.inboxes import Message
from live.live_streams import contents
from serve.running import Running, running

KILLS = int(os.environ.get("FENCHEL_SOURCE_KILLS", "2"))
ROWS = 1200


def rows_of(count, seed=1):
    chance = random.Random(seed)
    for _ in range(count):
        x = {f"w{chance.randrange(60)}": round(chance.gauss(1, 1), 3) for _ in range(4)}
        yield {"label": int("w1" in x), **x}


def by_hand(path):
    learner = learners.arow()
    for row in rows_of(ROWS):
        learner.learn_one({k: v for k, v in row.items() if k != "label"}, row["label"])
    learner.save(path)
    return contents(path)


def waited(client, model, rows):
    until = time.monotonic() + 60.0
    while (told := client.get(f"/models/{model}").json())["position"] < rows:
        assert time.monotonic() < until, told
        time.sleep(0.02)
    return told


@pytest.fixture
def streams(request, tmp_path):
    """Where a producer writes, by kind, and the address: a file, and a stream where there is Redis."""
    file = tmp_path / "a.jsonl"
    file.touch()

    def append(lines):
        with file.open("a") as opened:
            opened.writelines(f"{line}\n" for line in lines)

    def of(kind):
        if kind == "tail":
            return f"tail:{file}", append
        server = request.getfixturevalue("redis_server")
        return server.address("served"), lambda lines: server.add("served", lines)

    return of


def started(folder):
    """A folder with a model, as a server leaves it."""
    folder.mkdir(parents=True)
    learner = learners.arow()
    ModelFolder(folder).save(0, learner, State(learner, Limits()).to_json())


def slowly(add, lines):
    for k in range(0, len(lines), 10):
        add(lines[k : k + 10])
        time.sleep(0.005)


@pytest.mark.parametrize("kind", ["tail", "redis"])
def test_a_killed_server_learns_each_message_once(streams, tmp_path, kind, request):
    address, add = streams(kind)
    folder, lines = tmp_path / "d", [json.dumps(row) for row in rows_of(ROWS)]
    started(folder / "m")
    chance, share = random.Random(kind), ROWS // (KILLS + 1)
    options = ["--source", f"m={address}", "--snapshot-rows", "150"]
    for k in range(KILLS):
        server = Running(folder, *options)
        producer = threading.Thread(target=slowly, args=(add, lines[k * share : (k + 1) * share]))
        producer.start()
        time.sleep(chance.uniform(0.02, 0.4))
        server.kill()
        producer.join()
    add(lines[KILLS * share :])
    with running(folder, *options) as server, server.client() as client:
        told = waited(client, "m", ROWS)
        time.sleep(0.3)  # nothing more comes
        assert (told["rounds"], client.get("/models/m").json()["position"]) == (ROWS, ROWS)
        (tmp_path / "served").write_bytes(client.get("/models/m/file").content)
        assert "fenchel_messages_total" in client.get("/metrics").text
    assert contents(tmp_path / "served") == by_hand(tmp_path / "here")
    request.node.user_properties.append(("kills of a server fed by a live source survived", KILLS))


def state_of(learner=None):
    return State(learner or learners.arow(), Limits())


def sorted_parts(lines, format="jsonl", state=None, address="redis://h/s"):
    ((_, place),) = parsed([f"m={address}"])
    sorting = SourceMessages(state or state_of(), format, Dialect(), place)
    messages = [Message(str(k), line, "0", k) for k, line in enumerate(lines)]
    return [(p.kind, p.payload) for p in sorting.parts(messages)], sorting.refused


def test_messages_become_rows_of_the_server():
    lines = [
        b'{"label": 1, "a": 2}', b'{"x": {"a": 2}, "y": 0, "weight": 2.0}', b'{"id": "q", "a": 1}',
        b'{"id": "q", "y": 1}', b'{"a": 1}', b"", b"{", b'{"label": 1, "a": 1, "id": ""}',
    ]  # fmt: skip
    parts, refused = sorted_parts(lines)
    assert [kind for kind, _ in parts] == [log.LEARN, log.ASK, log.ANSWER]
    assert parts[0][1].splitlines() == [b'{"y":1,"x":{"a":2}}', encode(json.loads(lines[1]))]
    assert [id for id, _ in refused] == ["6", "7"]


def test_csv_and_text_become_rows_of_the_server():
    csv = "redis://h/s?format=csv&columns=a,job,y"
    assert sorted_parts([b"1,cook,0", b",,1"], "csv", address=csv) == (
        [(log.LEARN, b'{"y":0.0,"x":{"a":1.0,"job":"cook"}}'), (log.ANSWER, b'{"y":1.0}')][:1],
        [("1", "Object missing required field `id`")],
    )
    assert sorted_parts([b"1 | a", b"| b", b"0 | c\n1 | d"], "vw") == (
        [(log.VW, b"1 | a\n")], [("2", "several lines in one message; send one a message")]
    )  # fmt: skip


@pytest.mark.parametrize(
    ("sources", "what"),
    [(["m"], "give MODEL=ADDRESS"), (["m=tail:a", "m=tail:a"], "tail:a is named twice"),
     (["m=redis://h/s?format=arff"], "arff does not come by the message")],
)  # fmt: skip
def test_a_wrong_source_is_refused_in_one_line(sources, what):
    with pytest.raises(ValueError, match=what):
        parsed(sources)
