"""Clients that are slow, half gone, too large, or wrong: none of them blocks others or stays."""

import json
import socket
import time

import pytest

from serve.running import PATIENCE, Running

HEAD = b"POST /models/m/learn HTTP/1.1\r\nHost: localhost\r\n"
BODY = json.dumps({"x": {"a": 1.0}, "y": 1}).encode()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    started = Running(tmp_path_factory.mktemp("served"), "--line-port", "0", "--patience", "1")
    with started.client() as client:
        client.post("/models/m", json={"learner": "arow"})
    yield started
    assert started.stop() == 0


def connected(server, port=None):
    port = port or int(server.url.rpartition(":")[2])
    return socket.create_connection(("127.0.0.1", port), PATIENCE)


def answer(server, sent, port=None):
    """What comes back until the connection ends."""
    with connected(server, port) as line:
        line.sendall(sent)
        found = b""
        try:
            while data := line.recv(1 << 16):
                found += data
        except ConnectionResetError:
            pass
        return found


def test_a_slow_head_and_a_slow_body_are_closed(server):
    began = time.monotonic()
    assert answer(server, HEAD) == b""
    assert answer(server, HEAD + b"Content-Length: 50\r\n\r\n" + BODY[:5]) == b""
    assert time.monotonic() - began < PATIENCE


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET /models/../../etc/passwd HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", b"404"),
        (b"GET /%00 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", b"404"),
        (HEAD + b"Content-Length: x\r\n\r\n", b"400"),
        (HEAD + b"Connection: close\r\nContent-Length: 99999999999\r\n\r\n" + b" " * (17 << 20), b"413"),
        (b"PATCH /models/m HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", b"405"),
    ],
    ids=["nonsense", "path", "nul", "length", "large", "method"],
)  # fmt: skip
def test_bad_requests(server, sent, status):
    assert status in answer(server, sent).split(b"\r\n")[0]


def test_half_a_line_is_waited_for_in_vain_only_so_long(server):
    began = time.monotonic()
    found = answer(server, b"fenchel model=m\n1 |f a\n1 |f", server.line_port)
    assert found.endswith(b"\nerror: the rest of the line did not come\n")
    assert time.monotonic() - began < PATIENCE


def test_half_open_connections_do_not_block_others(server):
    idle = [connected(server) for _ in range(40)]
    idle += [connected(server, server.line_port) for _ in range(40)]
    for line in idle[::2]:
        line.sendall(b"POST /mod")
    with server.client() as client:
        assert client.post("/models/m/learn", content=BODY).status_code == 200
    for line in idle:
        line.close()


def test_clients_that_go_before_their_answer_leave_nothing_behind(server):
    with server.client() as client:
        rounds = client.get("/models/m").json()["rounds"]
        for _ in range(50):
            with connected(server) as line:
                line.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY)
        for _ in range(600):
            told = client.get("/models/m").json()
            if told["rounds"] == rounds + 50:
                break
            time.sleep(0.05)
        assert told["rounds"] <= rounds + 50
        assert client.get("/readyz").status_code == 200


def test_a_client_that_does_not_read_its_answers_is_waited_for_alone(server):
    lines = b"1 |f a:1\n" * 200_000
    with connected(server, server.line_port) as deaf:
        deaf.sendall(b"fenchel model=m\n")
        deaf.settimeout(2.0)
        with pytest.raises(TimeoutError):
            deaf.sendall(lines * 20)
        with server.client() as client:
            assert client.post("/models/m/predict", json={"x": {"a": 1}}).status_code == 200


def test_too_much_at_once_is_refused_with_a_time_to_come_back(tmp_path):
    from fenchel.serve.refusals import Refused
    from fenchel.serve.settings import Limits
    from fenchel.serve.writer import Writer

    writer = object.__new__(Writer)
    writer.broken, writer._limits, writer._queue = None, Limits(queue_rows=10), [None]
    writer.waiting_rows, writer.waiting_bytes = 8, 100
    with pytest.raises(Refused, match="8 rows wait already"):
        writer.submit(1, b"{}", 5)


def test_streams_wait_long_before_single_requests_are_refused(tmp_path):
    from fenchel.serve.settings import Limits
    from fenchel.serve.writer import Writer

    writer = object.__new__(Writer)
    writer._limits, writer._queue, writer.waiting_bytes = Limits(), [None], 0
    found = []
    for writer.waiting_rows in (0, 8191, 8192, 19_000, 20_000):
        found.append((writer.is_busy(1, 100), writer.is_full(1, 100)))
    assert found == [(False, False), (False, False), (True, False), (True, False), (True, True)]


def test_memory_stays_flat_over_many_refused_requests(server):
    def memory():
        with open(f"/proc/{server.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))

    with server.client() as client:
        for body in (b"{", BODY, b'{"x": {"a": "' + b"z" * 100_000 + b'"}, "y": 7}'):
            for _ in range(20):
                client.post("/models/m/learn", content=body)
        before = memory()
        for _ in range(300):
            client.post(
                "/models/m/learn", content=b'{"x": {"a": "' + b"z" * 100_000 + b'"}, "y": 7}'
            )
        assert memory() - before < 40_000
