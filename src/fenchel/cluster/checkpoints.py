"""Finished work of a run over shards, in a folder of model files: a run that was stopped goes on."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from hashlib import file_digest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fenchel import models
from fenchel.cluster.cutting import Shard
from fenchel.cluster.files import state_of
from fenchel.cluster.work import LearnedShard, Tally
from fenchel.evaluate.mean_loss import MeanLoss
from fenchel.learners import Learner, storage
from fenchel.models.atomic import replacing

PLAN = "plan.json"


class Checkpoints:
    """Models of shards and rounds in a folder; without a folder nothing is kept."""

    def __init__(
        self,
        folder: str | os.PathLike[str] | None,
        shards: Sequence[Any],
        start: Learner,
        reading: Mapping[str, Any],
    ) -> None:
        self._folder = None if folder is None else Path(folder)
        if self._folder is None:
            return
        told = plan_of(shards, start, reading)
        self._folder.mkdir(parents=True, exist_ok=True)
        plan = self._folder / PLAN
        if plan.exists() and json.loads(plan.read_text()) != told:
            raise ValueError(
                f"{plan}: this folder has the checkpoints of another run (other shards, other or "
                "changed files, another way of reading them, or another learner); name another folder, "
                "or empty it"
            )
        with replacing(plan) as file:
            file.write(json.dumps(told, indent=1).encode())

    def of_round(self, number: int) -> KeptRound | None:
        """The checkpoints of a round's shards; None without a folder."""
        return None if self._folder is None else KeptRound(self, number)

    def merged(self, number: int) -> tuple[Learner, Tally, dict[str, float]] | None:
        """The learner that a round ended with, the tally and the seconds of each shard, where it is kept."""
        found = self.load(name := f"round-{number}")
        return None if found is None else (*found, self._metadata(name)["costs"])

    def keep_merged(
        self, number: int, learner: Learner, tally: Tally, costs: Mapping[str, float]
    ) -> None:
        """Keep what a round ended with; its shards are no longer needed."""
        self.save(f"round-{number}", learner, tally, costs=dict(costs))
        if self._folder is not None:
            for file in self._folder.glob(f"round-{number}-shard-*.fenchel"):
                file.unlink()

    def load(self, name: str) -> tuple[Learner, Tally] | None:
        """Load a model of the folder, where it is kept."""
        if self._folder is None or not (file := self._folder / f"{name}.fenchel").exists():
            return None
        return Learner.load(file), _tally_of(self._metadata(name)["tally"])

    def _metadata(self, name: str) -> dict[str, Any]:
        assert self._folder is not None
        return models.read_metadata(self._folder / f"{name}.fenchel")

    def save(self, name: str, learner: Learner, tally: Tally, **more: Any) -> None:
        """Save a model in the folder, with its tally and more that is told of it."""
        if self._folder is not None:
            told: dict[str, Any] = {"average": list(tally.average), "mistakes": tally.mistakes}
            told |= {"seconds": tally.seconds, "skipped": tally.skipped}
            path = self._folder / f"{name}.fenchel"
            storage.save(learner, path, more_metadata={"tally": told, **more})


class KeptRound:
    """The shards of one round that are done, by number."""

    def __init__(self, checkpoints: Checkpoints, number: int) -> None:
        self._checkpoints, self._number = checkpoints, number

    def shard(self, k: int) -> LearnedShard | None:
        """The learner of a shard, where it is kept."""
        found = self._checkpoints.load(self._name(k))
        return None if found is None else LearnedShard(*found)

    def keep(self, k: int, learned: LearnedShard) -> None:
        """Keep what was learned of a shard."""
        self._checkpoints.save(self._name(k), learned.learner, learned.tally)

    def _name(self, k: int) -> str:
        return f"round-{self._number}-shard-{k}"


def plan_of(shards: Sequence[Any], start: Learner, reading: Mapping[str, Any]) -> dict[str, Any]:
    """What a run depends on: its shards, their files, how these are read, and what all begin with."""
    files = dict.fromkeys(shard.path for shard in shards if isinstance(shard, Shard))
    plan = {
        "learner": start.specification,
        "begun": start.rounds,
        "start": _digest_of(start),
        "reading": {key: value for key, value in reading.items() if key != "threads"},
        "shards": [shard.to_json() for shard in shards],
        "files": {file: state_of(file) for file in files},
    }
    found: dict[str, Any] = json.loads(json.dumps(plan, default=_told))
    return found


def _told(value: Any) -> Any:
    """What JSON has no word for, as a schema."""
    return value.to_json() if hasattr(value, "to_json") else repr(value)


def _digest_of(learner: Learner) -> str:
    """The digest of everything that the next round needs."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "start.fenchel")
        learner.save(file)
        with file.open("rb") as content:
            return file_digest(content, "sha256").hexdigest()


def _tally_of(told: Mapping[str, Any]) -> Tally:
    average = MeanLoss(*told["average"])
    return Tally(average, told["mistakes"], told["seconds"], told["skipped"])
