"""Forged models, text that a terminal would obey and full disks through every command."""

from __future__ import annotations

import random
import resource
import signal
from pathlib import Path

from click.testing import CliRunner

from attack.forged import Forge
from fenchel import learners
from fenchel.cli import main

ROWS = "x0,x1,x2,y\n" + "".join(f"{a}.5,{b},-1,{(a + b) % 2}\n" for a in range(3) for b in range(4))
FULL = 2000  # bytes that a file may have when the disk is full


def run(*command: str) -> str:
    """Everything that a command says; a traceback is a finding, so is a line that a terminal obeys."""
    done = CliRunner().invoke(main, command)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise AssertionError(f"{command}: {done.exception!r}") from done.exception
    assert done.exit_code in (0, 1, 2), (command, done.exit_code)
    assert not set(done.output) & set("\x1b\x07\x9b\u202e"), (command, done.output)
    return done.output


def through_commands(model: Path, data: Path, folder: Path) -> None:
    """Inspect, predict and go on with a model that may be forged."""
    before = model.read_bytes()
    run("inspect", str(model), "--verify")
    run("predict", str(model), str(data), "--output", str(folder / "p"), "--quiet")
    run("train", str(data), "--resume", str(model), "--save", str(folder / "new"), "--quiet")
    assert model.read_bytes() == before


def on_a_full_disk(folder: Path, data: Path) -> None:
    """What was there before stays when nothing more can be written."""
    saved, model = folder / "kept.fenchel", learners.perceptron()
    model.learn_many([[1.0] * 2000, [-1.0] * 2000], [1, -1])
    model.save(saved)
    before = saved.read_bytes()
    (folder / "told").write_text("earlier")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (FULL, limits[1]))
    try:
        try:
            model.save(saved)
        except OSError:
            pass
        else:
            raise AssertionError("a model was saved on a full disk")
        run(
            "compare",
            str(data),
            "--learner",
            "perceptron",
            "--report",
            str(folder / "told"),
            "--quiet",
        )
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, ignored)
    assert saved.read_bytes() == before
    assert (folder / "told").read_text() == "earlier"
    assert not list(folder.glob(".fenchel-*"))


def campaign(chance: random.Random, folder: Path, count: int) -> dict[str, int]:
    """So many forged models through three commands each, and a full disk."""
    data = folder / "d.csv"
    data.write_text(ROWS)
    forge = Forge(folder)
    for _ in range(count):
        forge.variant(chance)
        through_commands(forge.path, data, folder)
    on_a_full_disk(folder, data)
    return {"forged models through inspect, predict and train": count, "full disks": 1}
