"""Ctrl-C saves what ``--save`` asked for, and says so."""

import signal
import subprocess
import sys
import time

import pytest
from cli_helpers import run

from fenchel import Learner
from fenchel.cli.signals import Interruption


@pytest.mark.skipif(sys.platform == "win32", reason="signals are not like this there")
@pytest.mark.parametrize("save", [True, False])
def test_ctrl_c_while_waiting_for_a_pipe(tmp_path, save) -> None:
    saving = ["--save", str(tmp_path / "m")] if save else []
    command = [sys.executable, "-m", "fenchel", "train", "-", "--format", "vw", "--task", "binary"]
    process = subprocess.Popen(
        [*command, "--learner", "perceptron", *saving],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stderr is not None
    process.stdin.write("1 | a\n-1 | b\n1 | a\n")
    process.stdin.flush()
    said = _until_row(process, 2)
    process.send_signal(signal.SIGINT)
    said += process.stderr.read()
    process.stdin.close()
    assert process.wait(timeout=60) == 130
    process.stderr.close()
    assert "Traceback" not in said
    if save:
        assert "after 3 rounds: stopped by Ctrl-C" in said
        assert Learner.load(tmp_path / "m").rounds == 3
        assert "rounds      3" in run("inspect", tmp_path / "m").stdout
    else:
        assert "nothing was saved" in said


def test_ctrl_c_in_other_commands_ends_them_with_the_same_status(monkeypatch, tmp_path) -> None:
    def interrupted(*given):
        raise KeyboardInterrupt

    run("train", "breast_cancer", "--learner", "perceptron", "--save", tmp_path / "m", "--quiet")
    monkeypatch.setattr("fenchel.cli.commands.predict.margins_of", interrupted)
    told = run("predict", tmp_path / "m", "breast_cancer", status=130)
    assert told.stderr.splitlines()[-1] == "stopped by Ctrl-C"


def _until_row(process: subprocess.Popen[str], rounds: int) -> str:
    """What the process says until its table shows this round."""
    said = ""
    assert process.stderr is not None
    deadline = time.monotonic() + 120.0
    while f" {rounds}  " not in said:
        said += process.stderr.readline()
        assert time.monotonic() < deadline, said
    return said


def test_learning_is_never_cut_in_the_middle() -> None:
    interruption = Interruption()
    done = []

    def learn() -> None:
        with interruption.shielded():
            signal.raise_signal(signal.SIGINT)
            done.append("to the end")

    with interruption.in_force():
        with pytest.raises(KeyboardInterrupt):
            learn()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert done == ["to the end"]
