"""Streams of lines: read ahead, learned in the order in which they came, answered as soon as they are."""

import asyncio
import json
import logging
import random
import socket

import pytest

from fenchel import Schema, learners
from fenchel.serve import text_rows
from fenchel.serve.gate import Gate
from fenchel.serve.messages import Example
from fenchel.serve.served_loss import ServedLoss
from fenchel.serve.telling import Telling
from fenchel.serve.waiting_blocks import Blocks
from serve.running import PATIENCE
from serve.test_serve_lines import named

LINES = {"content-type": "application/x-ndjson"}


def test_a_stream_answers_each_line_before_the_next_is_sent(server, model):
    head = f"POST {model}/learn HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
    with socket.create_connection(("127.0.0.1", int(server.url.rpartition(":")[2])), 20) as client:
        client.sendall(f"{head}Content-Type: {LINES['content-type']}\r\n\r\n".encode())
        for k in range(4):
            line = json.dumps({"x": {"a": 1.0}, "y": k % 2}) + "\n"
            client.sendall(f"{len(line):x}\r\n{line}\r\n".encode())
            said = b""
            while b'"position":%d' % k not in said:
                got = client.recv(4096)
                assert got, said
                said += got


def test_objects_over_two_lines_or_two_on_a_line_are_refused(client, model):
    one = '{"x": {"a": 1.0}, "y": 1}'
    text = f'{one}\n\n{{"x": {{"a": 1.0}},\n"y": 0}}\n{one} {one}\n{one}'
    told = client.post(f"{model}/learn", content=text, headers=LINES).text.splitlines()
    assert ["error" in json.loads(line) for line in told] == [False, True, True, True, False]
    assert client.get(model).json()["rounds"] == 2


def texts(count):
    """Lines of text, unlabelled ones among them, and one that is refused."""
    chance = random.Random(0)
    for k in range(count):
        label = "" if k % 400 == 399 else f"{chance.choice((0, 1))} "
        yield (
            label
            + "|f "
            + " ".join(f"w{chance.randrange(300)}:{chance.random():.3f}" for _ in range(60))
        )


def test_what_is_read_ahead_is_learned_in_its_turn(server, client, model):
    lines = [f"{line}\n".encode() for line in texts(2000)]
    lines[1500] = b"1 |f a:x\n"
    client.post("/models/in-steps", json={"learner": "arow", "task": "binary"})
    with socket.create_connection(("127.0.0.1", server.line_port), PATIENCE) as at_once:
        at_once.sendall(named(model).encode() + b"".join(lines))
        at_once.shutdown(socket.SHUT_WR)
        with at_once.makefile() as answers:
            together = answers.read().splitlines()
    with socket.create_connection(("127.0.0.1", server.line_port), PATIENCE) as line:
        stream = line.makefile("rwb")
        stream.write(b"fenchel model=in-steps\n")
        alone = []
        for begin in range(0, len(lines), 50):
            some = lines[begin : begin + 50]
            stream.writelines(some)
            stream.flush()
            alone += [stream.readline().decode().rstrip("\n") for _ in some]
    assert together == alone
    assert together[1500].startswith("error: ")
    assert client.get("/models/in-steps/file").content == client.get(f"{model}/file").content


@pytest.mark.parametrize("bits", [None, 6])
def test_text_read_ahead_by_another_schema_is_read_again(bits):
    data = "".join(f"{line}\n" for line in texts(300) if line[0] != "|").encode()
    models = []
    for read_by in (Schema(bits=bits), Schema(bits=5)):
        learner = learners.arow()
        learner.schema = Schema(bits=bits)
        ahead = text_rows.read_ahead("vw", read_by, data)
        assert ahead is not None
        answers = text_rows.learn(learner, "vw", data, ServedLoss(False), 0, ahead)
        models.append((answers, learner.all_weights().tobytes()))
    assert models[0] == models[1]


def test_rows_that_go_alone_do_not_cost_a_look_at_all_that_follow(monkeypatch):
    looked = []
    known_rows = Blocks._known_rows

    def counted(self, rows, learning):
        looked.append(len(rows))
        return known_rows(self, rows, learning)

    learner = learners.arow()
    for label in (0, 1):
        learner.learn_one({"a": 1.0}, label)
    monkeypatch.setattr(Blocks, "_known_rows", counted)
    rows = [Example({"a": 1.0}, (0, "a third")[k % 2]) for k in range(2000)]
    refused = [isinstance(one, Exception) for one in Blocks(learner).learn(rows)]
    assert refused == [False, True] * 1000
    assert sum(looked) < 20 * len(rows)


def test_what_libraries_log_is_one_json_object_a_line(capsys):
    record = logging.LogRecord("uvicorn", logging.ERROR, "", 1, "two\nlines %s", ("x",), None)
    try:
        raise ValueError("wrong")
    except ValueError as error:
        record.exc_info = (ValueError, error, error.__traceback__)
    Telling().emit(record)
    (line,) = capsys.readouterr().err.splitlines()
    told = json.loads(line)
    assert (told["level"], told["event"], told["logger"]) == ("error", "two\nlines x", "uvicorn")
    assert told["traceback"].endswith("ValueError: wrong")


def test_pieces_of_a_stream_keep_their_order_when_the_queue_is_full(tmp_path):
    from fenchel.serve.asgi import App
    from fenchel.serve.bearer_tokens import Tokens
    from fenchel.serve.house import House
    from fenchel.serve.line_streams import LineStream
    from fenchel.serve.messages import Creation
    from fenchel.serve.settings import Limits, Settings

    sizes = [400, 3, 300, 2, 1, 500, 2, 1, 1]
    pieces = [
        "".join(f'{{"x": {{"w{n}": 1.0}}, "y": {n % 2}}}\n' for n in range(size)).encode()
        for size in sizes * 3
    ]
    sent = []

    async def served():
        settings = Settings(tmp_path, limits=Limits(queue_rows=301))
        house = House(settings, lambda *_: learners.arow(), lambda *_, **__: None)
        model = await house.create("m", Creation("arow"))
        coming = iter(pieces)

        async def receive():
            data = next(coming, b"")
            return {"type": "http.request", "body": data, "more_body": bool(data)}

        async def send(message):
            sent.append(message.get("body", b""))

        verbs = App(house, Gate(Tokens(None))).verbs
        await LineStream(verbs, model, "learn").serve(receive, send)
        await house.close()

    asyncio.run(served())
    told = [json.loads(line)["position"] for line in b"".join(sent).splitlines()]
    assert told == list(range(3 * sum(sizes)))
