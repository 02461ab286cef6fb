"""Messages to rounds: where batches are cut makes no difference, and a bad message leaves nothing behind."""

import random

import pytest

from fenchel import Schema, learners
from fenchel.live.message_run import MessageRun
from fenchel.streams import Names
from fenchel.streams.inboxes import Message
from live.live_streams import by_hand, contents, json_lines


def messages_of(lines):
    return [Message(f"m{k}", line.encode(), "0", k + 1) for k, line in enumerate(lines)]


def learned(lines, learner, format, cuts, schema=None, names=True):
    run = MessageRun(learner, format, schema or Schema(), Names() if names else None)
    messages, at, predictions, refused = messages_of(lines), 0, [], []
    for size in cuts:
        found = run.see(messages[at : at + size])
        predictions += found.predictions
        refused += found.refused
        at += size
    learner.schema, learner.names = run.schema, run.names
    return predictions, refused


def cut(count, size):
    chance = random.Random(size)
    cuts = []
    while sum(cuts) < count:
        cuts.append(chance.randint(1, size))
    return cuts


VW = [
    "1 | a b", "'q1 | a c", "2 'x | b", "spam | d", "2 'q1 |", "1 'q1 | e", "3 | f", "'q2 | g:1e999",
    "1 'q2 | g", "", "| h", "1 2 | a", "'q3 | a", "'q3 | b", "2 0.5 'q3 | c", "1 'gone |", "2 | a:1 b:x",
]  # fmt: skip


@pytest.mark.parametrize(
    ("format", "lines"), [("jsonl", json_lines(150, seed=4)), ("vw", VW * 3)], ids=["jsonl", "vw"]
)
def test_cuts_make_no_difference(tmp_path, format, lines):
    found = []
    for size in (1, 2, 7, len(lines)):
        learner = learners.winnow() if format == "vw" else learners.arow()  # winnow counts columns
        schema = Schema(id="id", label="label") if format == "jsonl" else Schema()
        told = learned(lines, learner, format, cut(len(lines), size), schema)
        learner.save(tmp_path / "m")
        found.append((told, contents(tmp_path / "m")))
    assert all(one == found[0] for one in found)
    assert found[0][0][1], "some must have been refused"


def test_messages_are_what_a_loop_in_python_makes_of_them(tmp_path):
    lines = json_lines(200, seed=2)
    here, there = learners.arow(), learners.arow(schema=Schema(id="id", label="label"))
    learned(lines, here, "jsonl", [len(lines)], Schema(id="id", label="label"))
    here.save(tmp_path / "here")
    by_hand(lines, there).save(tmp_path / "there")
    assert contents(tmp_path / "here") == contents(tmp_path / "there")


def test_late_labels_in_vowpal_wabbit_text():
    learner = learners.perceptron()
    predictions, refused = learned(VW[:6], learner, "vw", [6])
    assert [p["id"] for p in predictions] == ["m0", "q1", "x", "q1"]
    assert (learner.rounds, len(learner.tickets)) == (4, 0)
    assert [(r.message.id, r.reason) for r in refused] == [
        ("m3", "the label is not a number ('spam'); write a finite number")
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("[1]", "write one JSON object a message"),
        ('{"label": 7, "x": 1}', "the label 7 is a third class beside"),
        ('{"label": "spam", "x": 1}', "of another kind than"),
        ('{"label": 1, "x": 1e999}', "Number out of range"),
        ('{"label": 1, "when": [[1]]}', "when: "),
        ('{"id": "unknown", "label": 1}', "no id 'unknown' waits for a label"),
        ('{"id": "q", "x": 2}', "id 'q' waits for its label already"),
    ],
)
def test_why_a_message_is_refused(line, reason):
    learner = learners.perceptron()
    lines = ['{"label": 0, "x": 1}', '{"label": 1, "x": 1}', '{"id": "q", "x": 1}', line]
    _, (refused,) = learned(lines, learner, "jsonl", [4], Schema(id="id"))
    assert reason in refused.reason
    assert (learner.rounds, list(learner.names.first_columns())) == (2, ["x"])


def test_svmlight_without_a_label_is_predicted():
    predictions, _ = learned(
        ["1 1:1", "-1 2:1", "# nothing", "1:1"], learners.perceptron(), "svmlight", [4], names=False
    )
    assert [p["prediction"] for p in predictions] == [0, 1, 1]
