"""The folder of one model: snapshots, each with the log of what came after it.

``P.fenchel`` and ``P.state`` are the model after P rows of its log, ``P.log`` the records from there to
the next snapshot. A new log is begun at once; its snapshot is written meanwhile, and counts when it is
whole. Until then the one before, and its log, hold everything.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from fenchel.learners import Learner
from fenchel.models import ModelRefused
from fenchel.models.atomic import replacing
from fenchel.serve import log
from fenchel.serve.log import Log, LogDamaged, Record
from fenchel.serve.model_state import State
from fenchel.serve.settings import Limits

KEPT = 2  # snapshots at least: the last may turn out to be damaged


class ModelFolder:
    """Where one model lives."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def file(self, position: int, kind: str) -> Path:
        """Name the file of a kind (fenchel, state, log) that belongs to a position."""
        return self.path / f"{position:020}.{kind}"

    def positions(self, kind: str) -> list[int]:
        """List the positions that have a file of a kind, in order."""
        found = self.path.glob(f"{'[0-9]' * 20}.{kind}")
        return sorted(int(file.stem) for file in found)

    def save(self, position: int, learner: Learner, told: dict[str, Any]) -> None:
        """Write a snapshot; it counts once its model file is there, which comes last."""
        data = msgspec.json.encode(told)
        with replacing(self.file(position, "state")) as file:
            file.write(b"%08x\n" % zlib.crc32(data) + data)
        learner.save(self.file(position, "fenchel"))

    def load(self, position: int, limits: Limits) -> State:
        """Read the snapshot of a position, or refuse it."""
        learner = Learner.load(self.file(position, "fenchel"))
        path = self.file(position, "state")
        checksum, _, data = path.read_bytes().partition(b"\n")
        if checksum != b"%08x" % zlib.crc32(data):
            raise ModelRefused(f"{path}: its checksum is wrong; restore it from a copy")
        state = State(learner, limits, position)
        state.lay_in(msgspec.json.decode(data))
        return state

    def newest(self, limits: Limits) -> tuple[State, list[str]]:
        """Load the newest snapshot that can be; says which newer ones cannot."""
        told: list[str] = []
        for position in reversed(self.positions("fenchel")):
            try:
                return self.load(position, limits), told
            except (ModelRefused, OSError, KeyError, ValueError) as error:
                told.append(" ".join(str(error).split()))
        raise ModelRefused(f"{self.path}: no snapshot can be loaded; {'; '.join(told)}"[:600])

    def records(self, position: int) -> Iterator[tuple[Path, log.Contents]]:
        """Yield the contents of every log from a position on; only the last may have a torn end."""
        starts = [start for start in self.positions("log") if start >= position]
        expected = position
        for start in starts:
            path = self.file(start, "log")
            if start != expected:
                raise LogDamaged(f"{path}: the rows from {expected} on are missing; restore the "
                                 "folder from a copy")  # fmt: skip
            contents = log.read(path, start)
            if contents.torn and start != starts[-1]:
                raise LogDamaged(f"{path}: byte {contents.end}: cut short; restore the folder from "
                                 "a copy")  # fmt: skip
            expected += sum(record.rows for record in contents.records)
            yield path, contents

    def recover(self, limits: Limits) -> tuple[State, Log, list[str]]:
        """Rebuild the model as it was: the newest snapshot, then every record after it.

        Returns it, the log to go on with, and what there is to tell.
        """
        state, told = self.newest(limits)
        open_log: Log | None = None
        for path, contents in self.records(state.position):
            for record in contents.records:
                state.replay(record)
            if open_log is not None:
                open_log.close()
            if contents.torn:
                told.append(f"{path}: byte {contents.end}: {contents.torn} bytes of a record that "
                            "was never whole were cut off")  # fmt: skip
            open_log = Log(path, contents.end)
        return state, open_log or Log(self.file(state.position, "log")), told

    @property
    def log_bytes(self) -> int:
        """The bytes of all logs."""
        return sum(self.file(at, "log").stat().st_size for at in self.positions("log"))

    def compact(self, limits: Limits) -> int:
        """Delete the oldest snapshots and logs beyond the limits of size and age; says how many."""
        oldest = time.time() - limits.log_age
        deleted = 0
        snapshots = self.positions("fenchel")
        while len(snapshots) > KEPT:
            second = snapshots[1]
            old = self.file(second, "fenchel").stat().st_mtime < oldest
            if not (old or self.log_bytes > limits.log_bytes):
                break
            self.delete_before(second)
            snapshots.pop(0)
            deleted += 1
        return deleted

    def delete_before(self, position: int) -> None:
        """Delete every file of an earlier position, the model files first."""
        for kind in ("fenchel", "state", "log"):
            for earlier in self.positions(kind):
                if earlier < position:
                    self.file(earlier, kind).unlink(missing_ok=True)

    def forget(self, position: int) -> None:
        """Delete the files of one position, the model file first: without it they do not count."""
        for kind in ("fenchel", "state", "log"):
            self.file(position, kind).unlink(missing_ok=True)

    def all_records(self) -> Iterator[Record]:
        """Yield every record that is kept."""
        starts = self.positions("log")
        for _, contents in self.records(starts[0] if starts else 0):
            yield from contents.records
