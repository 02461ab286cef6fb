"""``--report``: the page of a comparison."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from fenchel.cli.advice import advice
from fenchel.cli.output import number
from fenchel.cli.results import constant_label, naming
from fenchel.cli.sources import Data, column_name
from fenchel.cli.tasks import shown
from fenchel.evaluate import Contest
from fenchel.report.comparison import Compared, comparison_page
from fenchel.report.stream_stats import StreamStats


def write_report(
    file: str, source: Data, contest: Contest, watched: StreamStats, index_base: int | None
) -> None:
    """The page of a contest that is over, into a file."""
    result = contest.result()
    runs = {e.specification: contest.runs[e.specification] for e in result.entrants}
    best = runs[result.best.specification]
    constant = f"The best constant, {constant_label(best)}, has loss {number(best.constant.loss)}"
    compared = Compared(
        data=source.name,
        result=result,
        runs=runs,
        watched=watched,
        name=partial(column_name, source.stream.names, index_base),
        shown=shown,
        advice=advice(result, regression=best.learner.labels is None),
        constant=constant,
        width=source.width,
    )
    with naming(file):
        Path(file).write_text(comparison_page(compared), encoding="utf-8")
