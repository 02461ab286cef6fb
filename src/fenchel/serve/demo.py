"""``--demo``: embedded data streamed to a model of the server itself, so that there is something to see."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import cycle
from typing import Any

from fenchel.evaluate import embedded
from fenchel.serve import log
from fenchel.serve.house import House
from fenchel.serve.messages import Answer, Creation, Example, Question, encode
from fenchel.serve.refusals import Refused

NAME = "demo"
PAUSE = 0.05  # seconds between handfuls
HANDFUL = 5


class Demo:
    """Learns short texts, some at once and some asked about first and answered later."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._task: asyncio.Task[None] | None = None
        self.facts: dict[str, Any] = {"demo": NAME}

    async def start(self) -> Demo:
        """Make the model, where there is none yet, and begin."""
        if NAME not in self._house.models:
            await self._house.create(NAME, Creation("arow"))
        self._task = asyncio.ensure_future(self._run())
        return self

    async def _run(self) -> None:
        texts = cycle(list(await asyncio.to_thread(lambda: list(examples()))))
        model = self._house.models[NAME]
        number = model.state.position
        while NAME in self._house.models:
            number += 1
            try:
                await self._ask_one(next(texts), number)
                for example in [next(texts) for _ in range(HANDFUL)]:
                    await model.writer.submit(log.LEARN, encode(example), 1, [example])
            except Refused:
                await asyncio.sleep(1.0)
            await asyncio.sleep(PAUSE)

    async def _ask_one(self, example: Example, number: int) -> None:
        """Ask about a text; every question is answered twenty handfuls later."""
        model = self._house.models[NAME]
        question = Question(example.x, f"demo-{number}:{example.y}")
        await model.writer.submit(log.ASK, encode(question), 1, [question])
        open_ones = [k for k in model.state.memory.questions.entries if k.startswith("demo-")]
        for identifier in open_ones[:-20]:
            answer = Answer(identifier, identifier.partition(":")[2])
            await model.writer.submit(log.ANSWER, encode(answer), 1, [answer])

    async def stop(self) -> None:
        """End the stream."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)


def examples(count: int = 5000) -> Iterator[Example]:
    """Short generated texts of two classes."""
    table = embedded.zipf(rows=count)
    for row in range(count):
        begin, end = table.X.indptr[row : row + 2]
        words = [table.names[column] for column in table.X.indices[begin:end].tolist()]
        x = dict(zip(words, table.X.data[begin:end].tolist(), strict=True))
        yield Example(x, table.y[row])
