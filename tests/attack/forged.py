"""Model files with right digests and wrong contents: refused in one line, or used without harm."""

from __future__ import annotations

import copy
import random
from pathlib import Path
from typing import Any

import numpy as np

from attack.kinds import KINDS, X, rows_as_dicts, trained
from fenchel import Learner, models

NUMBERS = [0, 1, -1, 2, 3, 7, 1e9, 1e17, -1e17, 1e300, -1e300, 5e-324, 2**31, 2**53, 2**63]
NUMBERS += [float("nan"), float("inf"), float("-inf"), 0.5, True]
VALUES = [
    *NUMBERS,
    None,
    "",
    "x",
    "arow",
    "yes",
    [],
    {},
    [1],
    {"learner": "arow"},
    10**30,
    "9" * 99,
]
VALUES += [
    {"part": "Simplex", "total": float("nan")},
    {"learner": "arow", "parameters": {}},
    [None],
]


class Forge:
    """Makes variants of saved models."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "forged.fenchel"
        self.seeds = []
        for number, kind in enumerate(KINDS):
            trained(kind, named=number % 2 == 1).save(self.path)
            self.seeds.append(models.read(self.path))

    def variant(self, chance: random.Random) -> None:
        """Write one: a model of some kind with a few changes."""
        arrays, metadata = copy.deepcopy(chance.choice(self.seeds))
        for _ in range(chance.choice([1, 1, 1, 2, 4])):
            if arrays and chance.random() < 0.6:
                change_arrays(arrays, chance)
            else:
                change_tree(metadata, chance)
        try:
            models.write(self.path, arrays, metadata)
        except models.ModelRefused:
            models.write(self.path, arrays, {})


def change_arrays(arrays: dict[str, Any], chance: random.Random) -> None:
    """Another number, shape, type or name."""
    name = chance.choice(sorted(arrays))
    array, kind = arrays[name], chance.randrange(7)
    if kind <= 2 and array.size:
        with np.errstate(all="ignore"):
            at = chance.randrange(array.size)
            array.reshape(-1)[at : at + chance.choice([1, 1, 10**6])] = np.float64(
                chance.choice(NUMBERS)
            ).astype(array.dtype)
    elif kind == 3:
        arrays[name] = np.resize(
            array, chance.choice([0, 1, 2, 5, 50, (2, 3), (50, 50), (3, 4, 2)])
        )
    elif kind == 4:
        with np.errstate(all="ignore"):
            arrays[name] = array.astype(chance.choice(["f4", "i8", "u1", "?", "u4", "f8"]))
    elif kind == 5:
        arrays[chance.choice([name + "x", "9." + name, "units", "names.text", "hedge.active"])] = (
            array
        )
    else:
        del arrays[name]


def change_tree(tree: Any, chance: random.Random) -> None:
    """Another value, key or length somewhere in the metadata."""
    inner = [
        v
        for v in (tree.values() if isinstance(tree, dict) else tree)
        if isinstance(v, (dict, list)) and v
    ]
    if inner and chance.random() < 0.6:
        return change_tree(chance.choice(inner), chance)
    if isinstance(tree, list):
        if not tree or chance.random() < 0.3:
            tree.extend(copy.deepcopy(tree) * chance.choice([1, 3, 300]) or [1])
        else:
            tree[chance.randrange(len(tree))] = copy.deepcopy(chance.choice(VALUES))
        return None
    key = chance.choice(sorted(tree))
    if chance.random() < 0.2:
        del tree[key]
    else:
        tree[key] = copy.deepcopy(chance.choice(VALUES))
    return None


def told_shortly(refusal: ValueError) -> None:
    """A refusal is a line that can be printed."""
    message = str(refusal)
    assert message.isprintable(), repr(message)
    assert len(message) < 600, message


def use(path: Path) -> bool:
    """Whether the model was loaded; then it reads, learns and is saved, or refuses in one line."""
    refusal: ValueError | None = None
    try:
        learner = Learner.load(path)
    except models.ModelRefused as error:
        refusal = error
    if refusal is not None:
        told_shortly(refusal)
        return False
    rows = X if learner.names is None else rows_as_dicts(X)
    y = next((y for make, y in KINDS.values() if make().task == learner.task), None)
    try:
        learner.weights()
        learner.decision_many(rows)
        learner.predict_one(rows[0])
        learner.learn_many(rows, y)
        learner.predict_many(rows)
    except ValueError as error:  # other labels than this model has, say
        refusal = error
    if refusal is not None:
        told_shortly(refusal)
    before = path.read_bytes()
    try:
        learner.save(path)
    except ValueError as error:  # numbers at the edge that learning took beyond it: the file stays
        told_shortly(error)
        assert path.read_bytes() == before
        return True
    Learner.load(path)
    return True


def campaign(chance: random.Random, folder: Path, count: int) -> dict[str, int]:
    """So many variants, each loaded, read, learned into, saved and loaded again."""
    forge, used = Forge(folder), 0
    for _ in range(count):
        forge.variant(chance)
        used += use(forge.path)
    return {"forged models used or refused": count, "forged models used": used}
