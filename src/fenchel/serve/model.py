"""One model while it is served: what it can be asked, and when it is saved."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import numpy as np

from fenchel.learners import Learner
from fenchel.serve.log import Log
from fenchel.serve.messages import ModelFacts, Prediction, Question, WeightList
from fenchel.serve.model_folder import ModelFolder
from fenchel.serve.model_state import State
from fenchel.serve.one_row import chances, decoded, interval_of, plain
from fenchel.serve.refusals import Refused, in_one_line
from fenchel.serve.settings import Limits, Snapshots
from fenchel.serve.waiting_blocks import Blocks
from fenchel.serve.writer import Writer

RETRY = 10.0  # seconds after a snapshot that failed


class ServedModel:
    """A model with its folder, its writer and its snapshots."""

    def __init__(
        self,
        name: str,
        folder: ModelFolder,
        state: State,
        open_log: Log,
        limits: Limits,
        snapshots: Snapshots,
        threads: Executor,
        tell: Callable[..., None],
    ) -> None:
        self.name, self.folder, self._limits, self._snapshots = name, folder, limits, snapshots
        self._threads, self._tell = threads, tell
        self.writer = Writer(state, open_log, limits, threads, tell)
        self.writer.after_write = self._snapshot_if_due
        self.snapshot = max(folder.positions("fenchel"))
        self._snapshot_time = time.monotonic()
        self._saving: asyncio.Task[None] | None = None
        self._not_before = 0.0
        self._blocks = Blocks(state.learner)
        self._waiting: list[tuple[Question, asyncio.Future[Prediction | Refused]]] = []

    @property
    def state(self) -> State:
        """The model as it is now."""
        return self.writer.state

    @property
    def learner(self) -> Learner:
        """The learner as it is now."""
        return self.writer.state.learner

    # ── asked without a label ───────────────────────────────────────────────────────────────────

    def predict_soon(self, question: Question) -> asyncio.Future[Prediction | Refused]:
        """Predict a row together with those of other requests that are here: a block costs little more."""
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_soon(self._predict_waiting)
        self._waiting.append((question, loop.create_future()))
        return self._waiting[-1][1]

    def _predict_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        try:
            told = self.predict_many([question for question, _ in waiting])
        except Exception as error:  # theirs to tell
            told = [Refused(500, in_one_line(error))] * len(waiting)
        for (_, future), answer in zip(waiting, told, strict=True):
            if not future.done():  # a client may have gone
                future.set_result(answer)

    def predict_many(self, questions: list[Question]) -> list[Prediction | Refused]:
        """Predict rows, with probabilities or intervals where there are some; nothing changes."""
        learner, margins = self.learner, self._blocks.margins(questions)
        good = [margin for margin in margins if not isinstance(margin, Exception)]
        found = iter(chances(learner, good) or ())
        told: list[Prediction | Refused] = []
        for question, margin in zip(questions, margins, strict=True):
            if isinstance(margin, Exception):
                told.append(Refused(422, in_one_line(margin)))
                continue
            answer, proba = Prediction(decoded(learner, margin)), next(found, None)
            if proba is not None and type(question.x) is dict:
                answer.proba = proba
            elif (interval := interval_of(learner, question.x)) is not None:
                answer.interval = interval
            if question.id is not None:
                answer.id = question.id
            told.append(answer)
        return told

    def facts(self) -> ModelFacts:
        """Describe the model in a few words."""
        state, learner = self.state, self.learner
        return ModelFacts(
            self.name, learner.specification, learner.task, learner.rounds, learner.columns,
            [plain(label) for label in learner.classes], state.position, state.watch.loss,
            state.watch.window, state.watch.baseline, len(state.memory.questions),
            self.writer.log.size, self.snapshot,
        )  # fmt: skip

    def weights(self, top: int) -> WeightList:
        """Return the largest weights by name."""
        learner = self.learner
        every = learner.all_weights()
        size = np.abs(every[1:])
        size = size if size.ndim == 1 else size.max(axis=1)
        count = min(top, len(size))
        largest = np.argpartition(-size, count - 1)[:count] if count else np.zeros(0, int)
        columns = largest[np.argsort(-size[largest], kind="stable")].tolist()
        return WeightList(
            plain(every[0]), {name_of(learner, c): plain(every[c + 1]) for c in columns}
        )

    # ── saving ──────────────────────────────────────────────────────────────────────────────────

    def _snapshot_if_due(self) -> None:
        """After a write: begin a snapshot where enough has come since the last."""
        when, new = self._snapshots, self.state.position - self.snapshot
        due = (
            new >= when.rows
            or self.writer.log.size >= when.bytes
            or time.monotonic() - self._snapshot_time >= when.seconds
        )
        if time.monotonic() < self._not_before:
            return
        if due and new and (self._saving is None or self._saving.done()):
            self._saving = asyncio.get_running_loop().create_task(self._save_here())

    async def save(self) -> None:
        """Save the model as it is, where anything came since the last snapshot."""
        while self._saving is not None and not self._saving.done():
            await asyncio.wait([self._saving])
        self._saving = asyncio.get_running_loop().create_task(self._save_here())
        await self._saving

    async def _save_here(self) -> None:
        """Begin a new log, then write the snapshot beside the work, from a copy of the model."""
        async with self.writer.between:
            if self.state.position <= self.snapshot or self.writer.broken is not None:
                return
            try:
                position, learner, told = self._turn_the_page()
            except OSError as error:
                self._failed(error)
                return
        began = time.monotonic()
        try:
            await self._in_thread(self.folder.save, position, learner, told)
            self.snapshot = position
            await self._in_thread(self.folder.compact, self._limits)
        except OSError as error:
            self._failed(error)
            return
        took = round(time.monotonic() - began, 3)
        self._tell("snapshot", model=self.name, position=position, seconds=took)

    def _failed(self, error: OSError) -> None:
        """Say so, and try again a little later: the log has everything."""
        self._not_before = time.monotonic() + RETRY
        self._tell("snapshot failed", level="error", model=self.name, why=in_one_line(error))

    def _turn_the_page(self) -> tuple[int, Learner, dict[str, Any]]:
        """Copy the model, and go on in a new log; no write is under way."""
        state, position = self.state, self.state.position
        if position > self._log_start():
            fresh = Log(self.folder.file(position, "log"))
            self.writer.log.close()
            self.writer.log = fresh
        self._snapshot_time = time.monotonic()
        return position, state.learner.copy(), state.to_json()

    def _log_start(self) -> int:
        return int(self.writer.log.path.stem)

    async def replace(self, learner: Learner) -> None:
        """Go on with another learner, from an uploaded file; the past of this name is deleted."""
        while self._saving is not None and not self._saving.done():
            await asyncio.wait([self._saving])
        async with self.writer.between:
            state = State(learner, self._limits, self.state.position + 1)  # a place of its own
            state.sources = self.state.sources  # not begun anew: the file may have learned them
            try:  # the snapshot first: without it nothing is behind a log that begins here
                await self._in_thread(self.folder.save, state.position, learner, state.to_json())
                fresh = Log(self.folder.file(state.position, "log"))
            except OSError:
                self.folder.forget(state.position)
                raise
            self.writer.log.close()
            self.writer.log, self.writer.state, self.snapshot = fresh, state, state.position
            self._blocks = Blocks(learner)
            self.folder.delete_before(state.position)

    async def file(self, path: Path) -> None:
        """Write the model, as it is now, to a file."""
        async with self.writer.between:
            learner = self.learner.copy()
        await self._in_thread(learner.save, path)

    def _in_thread(self, function: Callable[..., Any], *given: Any) -> asyncio.Future[Any]:
        return asyncio.get_running_loop().run_in_executor(self._threads, function, *given)

    async def close(self) -> None:
        """Write what is queued, save, and stop."""
        await self.writer.drain()
        await self.save()
        await self.writer.close()


def name_of(learner: Learner, column: int) -> str:
    """The name of a column, its number from 0 where it has none."""
    return str(column) if learner.names is None else learner.names.name(column)
