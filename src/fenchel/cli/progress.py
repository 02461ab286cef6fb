"""Progress while learning: a table that doubles its steps, and on a terminal a line with the rate.

The table is Vowpal Wabbit's: a row at rounds 1, 2, 4, 8, …
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from fenchel.certificates import Certificate
from fenchel.cli.output import number, say
from fenchel.cli.tasks import shown
from fenchel.evaluate.mean_loss import MeanLoss
from fenchel.evaluate.progressive import Step
from fenchel.learners import Learner
from fenchel.rows import Block

CERTIFIED = (
    "  average      since        rounds      achieved         bound  theorem",
    "     loss       last",
)
HEADINGS = (
    "  average      since        rounds         label    prediction  features",
    "     loss       last",
)


class ProgressTable:
    """Shows average loss and examples at rounds that double; or what is certified then.

    ``now`` gives a certificate of the rounds so far: blocks must then end where rows are due.
    """

    def __init__(
        self,
        learner: Learner,
        now: Callable[[], Certificate | None] | None = None,
        every: int | None = None,
    ) -> None:
        self._learner, self._now = learner, now
        self._every = every
        self._begun = False
        self._next = every or 1
        self._shown = MeanLoss()  # when the last row was shown

    def see(self, block: Block, step: Step) -> None:
        """Show the rows that are due within a block."""
        due = []
        while self._next <= step.before.rounds + len(block):
            due.append(self._next)
            self._next = self._next * 2 if self._every is None else self._next + self._every
        for now in step.before.at(due, step.outcome.losses, block.importance):
            self._show(block, step, now)

    def _show(self, block: Block, step: Step, now: MeanLoss) -> None:
        if not self._begun:
            self._begun = True
            say("\n" + "\n".join(HEADINGS if self._now is None else CERTIFIED))
        since = now.since(self._shown).mean
        at = now.rounds - step.before.rounds - 1
        cells = self._example(block, step, at) if self._now is None else _promise(self._now())
        say(f"{number(now.mean):>9}  {number(since):>9}  {now.rounds:>12,}  {cells}")
        self._shown = now

    def _example(self, block: Block, step: Step, at: int) -> str:
        assert block.labels is not None
        prediction = self._learner.decode_many(step.margins[at : at + 1])[0]
        wrong = step.outcome.mistakes is not None and step.outcome.mistakes[at]
        if wrong and prediction == block.labels[at]:
            prediction = "–"  # nothing was decided, which counts as a mistake
        rows = block.rows.csr()
        features = int(rows.indptr[at + 1] - rows.indptr[at])
        return f"{_cell(block.labels[at])}  {_cell(prediction)}  {features:>8,}"


def _promise(certificate: Certificate | None) -> str:
    if certificate is None:
        return f"{'–':>12}  {'–':>12}"
    return f"{certificate.achieved:>12.6g}  {certificate.bound:>12.6g}  {certificate.theorem}"


def _cell(label: Any) -> str:
    """Write a label or number in twelve characters."""
    if isinstance(label, float) and not float(label).is_integer():
        return f"{label:>12.6g}"
    text = shown(label)
    return f"{text if len(text) <= 12 else text[:11] + '…':>12}"


@contextmanager
def rate_line(quiet: bool) -> Iterator[Callable[[int], None]]:
    """Show rows so far and rows a second in one line that a terminal overwrites.

    Yields what counts some more rows; without a terminal nothing is shown.
    """
    if quiet or not sys.stderr.isatty():
        yield lambda rows: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    progress = Progress(
        SpinnerColumn(),
        TextColumn("{task.completed:,} rows"),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    number = progress.add_task("", total=None, rate="")

    def count(rows: int) -> None:
        task = progress.tasks[0]
        rate = (task.completed + rows) / max(task.elapsed or 0.0, 1e-9)
        progress.update(number, advance=rows, rate=f"{rate:,.0f} rows/s")

    with progress:
        yield count
