"""Messages for tests: rows with and without labels, late labels, some of them malformed."""

import json
import random

from fenchel import Learner, learners, models


def json_lines(count, seed=1, late=0.2, malformed=0.02):
    """Rows whose words keep coming; a share is asked first, and its label follows some messages later."""
    chance = random.Random(seed)
    lines, due = [], []
    for k in range(count):
        x = {
            f"w{int(chance.paretovariate(0.7)) % 300}": round(chance.gauss(1, 1), 3)
            for _ in range(4)
        }
        y = int("w1" in x)
        if chance.random() < malformed:
            lines.append(chance.choice(["{broken", '{"label": [1], "w1": 1}', '{"label": "x"}']))
        elif chance.random() < late:
            lines.append(json.dumps({"id": f"q{k}", **x}))
            due.append((k + chance.randrange(1, 40), {"id": f"q{k}", "label": y}))
        else:
            lines.append(json.dumps({"label": y, **x}))
        lines += [json.dumps(label) for when, label in due if when == k]
    return lines


def by_hand(lines, learner):
    """Learn the messages one by one, as a Python user would."""
    for line in lines:
        try:
            row = json.loads(line)
        except ValueError:
            continue
        label, id = row.pop("label", None), row.pop("id", None)
        if isinstance(label, (list, str)):
            continue
        if label is None:
            learner.ask(row, id)
        elif id is not None:
            learner.answer(id, float(label))
        else:
            learner.learn_one(row, float(label))
    return learner


def contents(path):
    """The arrays of a model file, byte for byte, and its metadata without its place in a source."""
    arrays, metadata = models.read(path)
    metadata.pop("live", None)
    return {name: (a.dtype, a.shape, a.tobytes()) for name, a in arrays.items()}, metadata


def rounds(path):
    return Learner.load(path).rounds


def arow():
    return learners.arow()
