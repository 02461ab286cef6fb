"""``fenchel train`` on live sources."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request

import pytest

from cli.cli_helpers import run
from fenchel import models
from live.brokers import free_port
from live.live_streams import contents, rounds

ROW = '{"label": 1, "x": 1}\n'
OTHER = '{"label": 0, "y": 2}\n'
AROW = ("--task", "binary", "--learner", "arow", "--quiet")


@pytest.fixture
def log(tmp_path):
    file = tmp_path / "clicks.jsonl"
    file.write_text(ROW + OTHER)
    return file


def place_of(model):
    (place,) = models.read_metadata(model)["live"].values()
    return place


def test_the_same_command_goes_on(tmp_path, log):
    command = ("train", f"tail:{tmp_path}/*.jsonl", *AROW, "--drain", "--save", tmp_path / "m")
    sent = tmp_path / "sent"
    run(*command, "--predictions", sent)
    with log.open("a") as file:
        file.write(ROW * 3)
    run(*command, "--predictions", sent)
    run("train", log, *AROW, "--save", tmp_path / "whole")
    assert contents(tmp_path / "m") == contents(tmp_path / "whole")
    ids = [json.loads(line)["id"] for line in sent.read_text().splitlines()]
    assert len(set(ids)) == len(ids) == place_of(tmp_path / "m")["messages"] == 5


def test_predictions_behind_the_model_are_made_again_in_their_place(tmp_path, log):
    command = ("train", f"tail:{log}", *AROW, "--drain", "--save", tmp_path / "m")
    run(*command, "--predictions", tmp_path / "sent")
    before = (tmp_path / "sent").read_bytes()
    with (tmp_path / "sent").open("a") as file:
        file.write("of a run that was killed")
    run(*command, "--predictions", tmp_path / "sent")
    assert (tmp_path / "sent").read_bytes() == before


def test_refused_messages_go_to_the_dead_letters(tmp_path, log):
    with log.open("a") as file:
        file.write('{"label": 7, "x": 1}\n')
    command = ("train", f"tail:{log}", *AROW, "--drain", "--save", tmp_path / "m")
    refused = run(*command, status=1)
    assert "is a third class beside 0 and 1; use --task multiclass" in refused.stderr
    run(*command, "--dead-letters", tmp_path / "dead", "--json", tmp_path / "figures")
    letter = json.loads((tmp_path / "dead").read_text())
    assert letter["message"] == '{"label": 7, "x": 1}'
    assert json.loads((tmp_path / "figures").read_text())["live"] == {"messages": 3, "refused": 1}


def test_sigterm_saves_and_leaves(tmp_path, log):
    model, port = tmp_path / "m", free_port()
    command = [sys.executable, "-m", "fenchel", "train", f"tail:{log}", *AROW, "--save", str(model)]
    command += ["--checkpoint-seconds", "0.1", "--every", "0.2", "--metrics-port", str(port)]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        until = time.monotonic() + 120
        while not (model.exists() and place_of(model)["messages"] == 2):
            assert time.monotonic() < until
            assert running.poll() is None, running.stderr.read()
            time.sleep(0.05)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
            assert b"fenchel_live_messages 2.0" in answer.read()
        with log.open("a") as file:
            file.write(ROW * 4)
        time.sleep(0.5)
    finally:
        running.send_signal(signal.SIGTERM)
        said = running.communicate(timeout=60)[1]
    assert running.returncode == 0, said
    assert rounds(model) == 6
    assert " messages  " in said
    assert "lag 0  loss" in said


def test_a_plain_run_keeps_the_place(tmp_path, log):
    model = tmp_path / "m"
    run("train", f"tail:{log}", *AROW, "--drain", "--save", model)
    before = place_of(model)
    (tmp_path / "more.jsonl").write_text(ROW)
    run("train", tmp_path / "more.jsonl", "--resume", model, "--save", model, "--quiet")
    assert (place_of(model), rounds(model)) == (before, 3)
    assert "live        tail:" in run("inspect", model).stdout


def test_other_commands_read_what_is_there(tmp_path, log):
    run("train", log, *AROW, "--save", tmp_path / "m")
    assert run("predict", tmp_path / "m", f"tail:{log}").stdout.split() == ["1", "0"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ((), "--task is needed"),
        (("--task", "ranking"), "--task ranking is for files"),
        (("--task", "binary", "--passes", "2"), "--passes is for files"),
        (("--task", "binary", "--checkpoint-seconds", "1"), "need --save"),
        (("--task", "binary", "--metrics-port", "high", "--drain"), "give PORT or HOST:PORT"),
    ],
)
def test_what_does_not_fit_is_refused(log, options, reason):
    assert reason in run("train", f"tail:{log}", *options, status=2).stderr


def test_live_options_are_for_live_sources(log):
    assert "--drain is for live sources" in run("train", log, "--drain", status=2).stderr


def test_a_model_that_learned_elsewhere_is_not_overwritten(tmp_path, log):
    run("train", log, *AROW, "--save", tmp_path / "m")
    before = os.stat(tmp_path / "m")
    command = ("train", f"tail:{log}", "--save", tmp_path / "m", "--drain", "--quiet")
    refused = run(*command, "--task", "binary", status=1)
    assert "has not learned from tail:" in refused.stderr
    assert os.stat(tmp_path / "m") == before
    run(*command, "--resume", tmp_path / "m")
    assert rounds(tmp_path / "m") == 4
    other = run(*command, "--task", "binary", "--learner", "perceptron", status=1)
    assert "is arow, not perceptron" in other.stderr
