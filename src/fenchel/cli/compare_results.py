"""Results of ``fenchel compare``: a table with advice, JSON, and a page with pictures."""

from __future__ import annotations

from functools import partial

from fenchel.certificates import Certificate
from fenchel.certificates.tables import text_table
from fenchel.cli.advice import advice
from fenchel.cli.certify import as_json, certificate_lines
from fenchel.cli.moving import frozen_lines, horizon_figures, previous_lines
from fenchel.cli.output import counted, number, seconds, size
from fenchel.cli.places import written_whole
from fenchel.cli.results import blame, figures, write_json
from fenchel.cli.sources import Data, column_name
from fenchel.cli.tasks import constant_label, mapping, shown
from fenchel.cli.typed import typed_command
from fenchel.evaluate import Comparison, Contest, Run
from fenchel.report.comparison import Compared, comparison_page
from fenchel.report.stream_stats import StreamStats

Best = dict[str, Certificate | None]  # the tightest certificate of each learner


class CompareResults:
    """Presents a contest that is over, to people and to programs."""

    def __init__(self, source: Data, contest: Contest) -> None:
        self.source, self.result, self._horizon = source, contest.result(), contest.horizon
        names = [entrant.specification for entrant in self.result.entrants]
        self.runs: dict[str, Run] = {name: contest.runs[name] for name in names}
        self._best = self.runs[names[0]]

    def write_json(self, file: str, certified: Best | None) -> None:
        """Write the figures to a file."""
        told = None if certified is None else {name: as_json(c) for name, c in certified.items()}
        found = figures(self.source.name, self.runs, certificates=told)
        write_json(file, found | horizon_figures(found["learners"], self.runs, self._horizon))

    def text(self, certified: Best | None) -> str:
        """Lay out the table, what is certified, and the advice."""
        learner = self._best.learner
        counts = [counted(self.result.rounds, "round"), counted(learner.columns, "feature")]
        lines = [f"{self.source.name}: {', '.join([*counts, learner.task])}"]
        if self.result.because:
            lines.append(self.result.because)
        if learner.labels is None:
            lines += ["", *_of_numbers(self.result)]
        else:
            lines += [f"classes: {mapping(learner)}", "", *_of_classes(self.result)]
        if certified is not None:
            lines += ["", *certificate_lines(certified)]
        lines += ["", f"best constant: {self._constant(', ')}", *previous_lines(self._best)]
        lines += [*self._uses(), "", self._advice()]
        return "\n".join(lines)

    def _uses(self) -> list[str]:
        """Tell frozen use where that was asked for, and that the table above is of another."""
        lines = frozen_lines(self.runs)
        return lines and ["the table is of the next round", *lines]

    def write_page(self, file: str, watched: StreamStats) -> None:
        """Write the page with pictures to a file."""
        stream = self.source.stream
        compared = Compared(
            data=self.source.name,
            result=self.result,
            runs=self.runs,
            watched=watched,
            name=partial(column_name, stream.names, stream.schema.index_base),
            shown=shown,
            advice=self._advice(),
            constant=f"The best constant, {self._constant(', has ')}",
            width=self.source.width,
            classes="" if self._best.learner.labels is None else mapping(self._best.learner),
            command=typed_command(),
        )
        with blame(file), written_whole(file) as page:
            page.write(comparison_page(compared))

    def _constant(self, has: str) -> str:
        return f"{constant_label(self._best)}{has}loss {number(self._best.constant.loss)}"

    def _advice(self) -> str:
        return advice(self.result, regression=self._best.learner.labels is None)


def _metric_names(result: Comparison) -> list[str]:
    """The headings of metrics."""
    names = _metrics_beside(result)
    when = "" if result.frozen is None else "\nnext round"
    return [name.replace("_", " ") + when for name in names]


def _metrics_beside(result: Comparison) -> list[str]:
    """The metrics; a loss of its own that numbers are told in has its column already."""
    has_column = result.loss if result.loss != "squared" else ""
    return [name for name in result.best.score.metrics if name != has_column]


def _of_classes(result: Comparison) -> list[str]:
    headings = ["learner", "error", "mistakes", "margin\nerrors", "updates", "seconds", "memory"]
    headings, rows = headings + _metric_names(result), []
    for name, score, memory in result.entrants:
        counts = [score.mistakes, score.margin_errors, score.updates]
        cells = ["–" if count is None else f"{count:,}" for count in counts]
        told = [number(value) for value in score.metrics.values()]
        last = seconds(score.seconds), size(memory)
        rows.append([name, f"{score.error:.2%}", *cells, *last, *told])
    if all(row[4] == "–" for row in rows):
        headings, rows = headings[:4] + headings[5:], [row[:4] + row[5:] for row in rows]
    return text_table(headings, rows)


def _of_numbers(result: Comparison) -> list[str]:
    kind = "loss" if result.loss == "squared" else f"{result.loss}\nloss"
    headings = ["learner", kind, "share of\nconstant", "seconds", "memory"]
    headings, rows = headings + _metric_names(result), []
    for name, score, memory in result.entrants:
        share = score.loss / result.constant.loss if result.constant.loss else float("nan")
        relative = f"{share:.3f}" if share < 1e4 else f"{share:.1g}"
        told = [number(score.metrics[metric]) for metric in _metrics_beside(result)]
        last = seconds(score.seconds), size(memory)
        rows.append([name, number(score.loss), relative, *last, *told])
    return text_table(headings, rows)
