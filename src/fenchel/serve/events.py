"""What the page shows, as a stream of states: one a second, while anybody looks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import numpy as np

from fenchel.serve.house import House
from fenchel.serve.messages import ModelFacts
from fenchel.serve.model import ServedModel, name_of
from fenchel.serve.one_row import plain
from fenchel.serve.served_loss import shortened

EVERY = 1.0  # seconds
WIDEST = 200_000  # weights of wider models are not compared each second
SHOWN = 10
MOST_MODELS = 50


class Events:
    """Makes the states; all pages that are open share each of them."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._weights: dict[str, Any] = {}  # of the state before, by model
        self._state: dict[str, Any] = {}
        self._changed = asyncio.Condition()
        self._followers = 0
        self._task: asyncio.Task[None] | None = None
        self.stopping = False

    async def follow(self) -> AsyncIterator[dict[str, Any]]:
        """Yield the state now, and each second a new one."""
        self._followers += 1
        if self._task is None or self._task.done():
            self._task = asyncio.ensure_future(self._run())
        try:
            while not self.stopping:
                async with self._changed:
                    await self._changed.wait()
                if self._state:
                    yield self._state
        finally:
            self._followers -= 1

    async def _run(self) -> None:
        while self._followers and not self.stopping:
            self._state = self.state()
            async with self._changed:
                self._changed.notify_all()
            await asyncio.sleep(EVERY)

    async def stop(self) -> None:
        """End all streams: the server stops."""
        self.stopping = True
        async with self._changed:
            self._changed.notify_all()

    def state(self) -> dict[str, Any]:
        """Everything that the page shows."""
        models = sorted(self._house.models.items())[:MOST_MODELS]
        return {"models": [self._of(model) for _, model in models], "all": len(self._house.models)}

    def _of(self, model: ServedModel) -> dict[str, Any]:
        facts: ModelFacts = model.facts()
        watch, memory = model.state.watch, model.state.memory
        told = {name: getattr(facts, name) for name in facts.__struct_fields__}
        told["curve"] = watch.curve
        told["last"] = [[time, shortened(x), plain(y), p] for time, x, y, p in reversed(watch.last)]
        asked = list(memory.questions.entries.items())[-5:]
        told["asked"] = [[k, q.x[:200].decode(errors="replace"), q.prediction] for k, q in asked]
        told["waiting"] = model.writer.waiting_rows
        told["broken"] = model.writer.broken
        told["weights"] = self._largest(model)
        return told

    def _largest(self, model: ServedModel) -> list[list[Any]]:
        """The largest weights, [name, weight, change since the last state]."""
        learner = model.learner
        if learner.columns > WIDEST:
            return []
        now = learner.all_weights()[1:]
        size = np.abs(now) if now.ndim == 1 else np.abs(now).max(axis=1)
        before = self._weights.get(model.name, size[:0])
        self._weights[model.name] = now if now.ndim == 1 else size
        shown = self._weights[model.name]
        change = shown.copy()
        change[: len(before)] -= before[: len(shown)]
        top = np.argsort(-size, kind="stable")[:SHOWN].tolist()
        return [[name_of(learner, c), float(shown[c]), float(change[c])] for c in top]
