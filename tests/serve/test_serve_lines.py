"""The line protocol: what Vowpal Wabbit's clients send, and what they get."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from types import SimpleNamespace

import pytest

from serve.running import PATIENCE


def said(server, text, first=""):
    """Everything that comes back for some lines."""
    with socket.create_connection(("127.0.0.1", server.line_port), PATIENCE) as line:
        line.sendall((first + text).encode())
        line.shutdown(socket.SHUT_WR)
        with line.makefile() as answers:
            return answers.read().splitlines()


def named(model):
    return f"fenchel model={model[8:]}\n"


def test_answers_are_as_vowpal_wabbit_gives_them(server, model):
    text = (
        "1 |f a:1 b:2\n-1 'tagx |f b c\n|f a\n'q |f a b\n\nsave_m|\n1 2.0 'importance|f z\n-1|f a\n"
    )
    answers = said(server, text, named(model))
    assert [one.partition(" ")[2] for one in answers] == ["", "tagx", "", "q", "importance", "-1"]
    assert answers[0] == "0"
    assert {len(one.split()[0].partition(".")[2]) for one in answers} == {0, 6}


DAEMON = """
import vowpalwabbit
options = "--daemon --foreground --quiet --num_children 1 --port {port}".split()
vowpalwabbit.Workspace(arg_list=options).run_parser()
"""


@pytest.fixture
def daemon(tmp_path):
    """The port of Vowpal Wabbit's own daemon."""
    pytest.importorskip("vowpalwabbit", reason="vowpalwabbit is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-c", DAEMON.format(port=port)]
    process = subprocess.Popen(command, start_new_session=True, cwd=tmp_path)
    try:
        for _ in range(600):
            with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.1)
        yield port
    finally:
        os.killpg(process.pid, signal.SIGKILL)  # with the child that it answers from
        process.wait()


def test_lines_and_their_tags_are_answered_in_the_form_of_the_real_daemon(server, model, daemon):
    text = "1 |f a:1 b:2\n-1 'tagx |f b c\n|f a\n'q |f a b\n1 2.0 'i|f z\n-1|f a\n\n1 y| b\nsave_m|\n| z\n"
    theirs = said(SimpleNamespace(line_port=daemon), text)
    ours = said(server, text, named(model))
    form = [re.sub(r"-?\d+\.\d{6}|^0(?= |$)", "number", one) for one in theirs]
    assert [re.sub(r"-?\d+\.\d{6}|^-?\d+(?= |$)", "number", one) for one in ours] == form


def test_blocks_and_single_lines_give_the_same_model(server, client, model):
    lines = [f"{1 - 2 * (k % 2)} |f w{k % 13}:{k / 7:.3f} c{k % 5}\n" for k in range(500)]
    together = said(server, "".join(lines), named(model))
    client.post("/models/alone", json={"learner": "arow", "task": "binary"})
    with socket.create_connection(("127.0.0.1", server.line_port), PATIENCE) as line:
        stream = line.makefile("rw", newline="\n")
        stream.write("fenchel model=alone\n")
        alone = []
        for text in lines[:100]:
            stream.write(text)
            stream.flush()
            alone.append(stream.readline().rstrip("\n"))
        stream.writelines(lines[100:])
        stream.flush()
        alone += [stream.readline().rstrip("\n") for _ in lines[100:]]
    assert alone == together
    assert client.get("/models/alone/file").content == client.get(f"{model}/file").content


def test_bad_lines_are_answered_and_left_out(server, client, model):
    answers = said(server, "1 |f a\nno bar\n-1 |f b\n3 |f c\n1 |f a:x\n", named(model))
    assert [one.startswith("error: ") for one in answers] == [False, True, False, True, True]
    assert client.get(model).json()["rounds"] == 2


def test_json_lines(server, model):
    lines = [{"x": {"a": 1}, "y": 1}, {"x": {"a": 1}}, {"x": {"b": 1}, "y": 0, "id": "k"}]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    answers = [json.loads(one) for one in said(server, text + "{\n", named(model))]
    assert [one.get("position") for one in answers] == [0, None, 1, None]
    assert "error" in answers[3]


def test_svmlight(server, model):
    answers = said(server, "1 1:1 3:2.5\n-1 2:1\n1:1\n# a comment\n", named(model))
    assert len(answers) == 3


def test_one_line_cannot_make_a_model_of_any_width(server, client, model):
    text = "1 1:1\n1 4000000000:1\n-1 20000000:1\n4000000000:1\n-1 2:1\n"
    answers = said(server, text, named(model))
    assert [one.startswith("error: ") for one in answers] == [False, True, True, True, False]
    assert client.get(model).json()["columns"] == 2


def test_the_last_line_is_shown_with_the_label_that_was_predicted(server, client, model):
    said(server, "1 |f a\n-1 |f b\n1 |f a\n", named(model))
    with client.stream("GET", "/events") as events:
        told = json.loads(next(events.iter_lines()).removeprefix("data: "))
    (last,) = [one["last"][0] for one in told["models"] if one["name"] == model[8:]]
    assert last[1:] == ["1 |f a", 1.0, 1.0]


def test_an_unknown_model_and_too_long_a_line(server):
    assert "there is no model" in said(server, "1 |f a\n", "fenchel model=nowhere\n")[0]
    assert said(server, "1 |f " + "a" * (3 << 20)) == ["error: the line is too long"]
