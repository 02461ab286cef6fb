"""Labels that come late: by a column of delays, or with a row that comes again."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from fenchel import Learner, learners
from fenchel.cli.app import main
from fenchel.evaluate.late_run import AgainRun, DelayedRun, LateRun
from fenchel.rows import Block, validate
from fenchel.streams import BadInput

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = np.where(X @ [1.0, -1.0, 0.5] > 0.0, 1.0, -1.0)


def block(rows, labels, ids):
    return Block(validate.as_rows(X[rows]), labels, None, None, [str(i) for i in ids])


def asked(delays):
    """The same by hand: after each question, the labels that have come by then."""
    learner, tickets, margins = learners.perceptron(), {}, []
    for t in range(60):
        tickets[t] = learner.ask(X[t])
        margins.append(tickets[t].margin)
        for s in sorted((s for s in tickets if s + delays[s] <= t), key=lambda s: s + delays[s]):
            learner.answer(tickets.pop(s), Y[s])
    return margins


def test_a_column_of_delays_is_asking_and_answering():
    delays = RNG.integers(0, 12, 60)
    run = DelayedRun(learners.perceptron())
    assert run.learn(block(range(60), Y, delays)).margins.tolist() == asked(delays)
    run.finish()
    assert run.learner.rounds == 60
    assert not run.learner.tickets.waiting
    assert run.previous.loss == previous_by_hand(delays)


def previous_by_hand(delays):
    """The share of rows whose label is not the one that came last before they were asked."""
    latest, waiting, wrong = None, {}, []
    for t in range(60):
        if latest is not None:
            wrong.append(latest != Y[t])
        waiting[t] = t + delays[t]
        for s in sorted((s for s in waiting if waiting[s] <= t), key=lambda s: (waiting[s], s)):
            latest = Y[s]
            del waiting[s]
    return np.mean(wrong)


def test_a_constant_delay_is_a_horizon():
    rows = block(range(60), Y, [7] * 60)
    delayed, late = DelayedRun(learners.perceptron()), LateRun(learners.perceptron(), horizon=7)
    assert np.array_equal(delayed.learn(rows).margins, late.learn(rows).margins)
    assert delayed.previous.loss == late.previous.loss == np.mean(Y[8:] != Y[:-8])


def test_the_previous_label_is_the_one_known_when_a_row_was_asked():
    run = AgainRun(learners.lms())
    numbers = np.array([1.0, 2.0, 4.0])
    run.learn(block([0], numbers[:1], [0]))  # nothing came before it
    run.ask(block([1, 2], None, [1, 2]))  # then the last was 1
    run.learn(block([1, 2], numbers[1:], [1, 2]))
    assert run.previous.loss == np.mean([(1.0 - 2.0) ** 2, (1.0 - 4.0) ** 2])
    names = AgainRun(learners.perceptron())
    names.learn(block([0, 1], np.array(["a", "b"], dtype=object), [0, 1]))
    names.learn(block([2, 3], np.array(["b", "b"], dtype=object), [2, 3]))
    assert names.previous.loss == 1.0 / 3.0


@pytest.mark.parametrize("wrong", ["-1", "soon", "nan", "inf", ""])
def test_what_is_no_delay_is_refused(wrong):
    with pytest.raises(BadInput, match=r"row 2: the delay .* is no number of rounds"):
        DelayedRun(learners.perceptron()).learn(block(range(2), Y[:2], ["0", wrong]))


def test_rows_that_come_again_are_asked_and_answered():
    run, by_hand = AgainRun(learners.perceptron()), learners.perceptron()
    run.ask(block(range(3), None, range(3)))
    run.ask(block([1], None, [1]))  # waits already
    tickets = [by_hand.ask(x) for x in X[:3]]
    told = run.learn(block([2, 0, 5], Y[[2, 0, 5]], [2, 0, 99])).margins
    for t in (2, 0):
        by_hand.answer(tickets[t], Y[t])
    last = by_hand.ask(X[5])
    assert told.tolist() == [tickets[2].margin, tickets[0].margin, last.margin]
    assert list(run.learner.tickets.waiting) == ["1"]


def test_the_commands(tmp_path):
    data, figures, model = tmp_path / "d.csv", tmp_path / "f.json", tmp_path / "m"
    lines = [f"{'yes' if x > 0 else 'no'},{x:.3f},{t % 5}" for t, x in enumerate(X[:, 0])]
    data.write_text("y,x,wait\n" + "\n".join(lines))
    command = ["train", str(data), "--label", "y", "--learner", "perceptron", "--quiet"]
    done = CliRunner().invoke(main, [*command, "--delay", "wait", "--json", str(figures)])
    assert done.exit_code == 0, done.output
    late = json.loads(figures.read_text())
    assert late["rounds"] == 60
    assert late["late"] < 0.5
    assert late["next_round"] is None
    data.write_text("y,x,n\nno,-1,a\n,1,b\n,-1,c\nyes,1,b\n,2,d\nno,-1,c\n")
    done = CliRunner().invoke(main, [*command, "--late", "--id", "n", "--save", str(model)])
    assert done.exit_code == 0, done.output
    assert list(Learner.load(model).tickets.waiting) == ["d"]
    for wrong in (["--late"], ["--delay", "n", "--id", "x"], ["--late", "--id", "n", "--certify"]):
        assert CliRunner().invoke(main, [*command, *wrong]).exit_code == 2
