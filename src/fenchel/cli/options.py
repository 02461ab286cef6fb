"""Options that several commands share."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import click

from fenchel.streams import FORMATS

Command = TypeVar("Command", bound=Callable[..., Any])

TASKS = ("binary", "multiclass", "regression", "quantile", "count", "ranking")


def together(*options: Any) -> Callable[[Command], Command]:
    """Join options to one decorator."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


SPECIFICATION = "A learner: name or name:key=value,…, such as arow:r=0.1 (see `fenchel learners`)"

one_learner = click.option("--learner", metavar="SPEC", help=f"{SPECIFICATION}. [default: auto]")
many_learners = click.option(
    "--learner",
    "specifications",
    metavar="SPEC",
    multiple=True,
    help=f"{SPECIFICATION}; repeat it.",
)
apart = together(
    click.option(
        "--workers",
        type=click.IntRange(1),
        metavar="N",
        help="Learn shards of DATA on N processes, and merge what they learned.",
    ),
    click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="The same on the workers of a Dask scheduler, such as tcp://host:8786.",
    ),
    click.option(
        "--rounds",
        default=1,
        type=click.IntRange(1),
        show_default=True,
        metavar="R",
        help="Merge, go on from there, R times.",
    ),
    click.option("--checkpoint", metavar="DIR", help="Keep finished shards here, to go on later."),
    click.option(
        "--polish",
        type=click.IntRange(1),
        metavar="N",
        help="Then minimise the learner's objective by N steps of L-BFGS, a pass each.",
    ),
)
spread = together(
    click.option(
        "--workers",
        type=click.IntRange(1),
        metavar="N",
        help="Learners on N processes, each of which reads DATA. [default: threads, one reading]",
    ),
    click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="The same on the workers of a Dask scheduler, such as tcp://host:8786.",
    ),
)
json_file = click.option("--json", "json_file", metavar="FILE", help="The figures as JSON.")
certify = click.option(
    "--certify",
    is_flag=True,
    help="Measure both sides of the theorems that cover the run; reads the data a second time. "
    "Shown with --quiet too, unless --json has them.",
)
metrics = click.option(
    "--metric",
    "metrics",
    metavar="NAME",
    multiple=True,
    help="error, log_loss, brier, auc, f1, precision, recall, ece; squared, absolute, "
    "quantile:LEVEL, r2, poisson; repeat it.",
)
interval = click.option(
    "--interval",
    type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True),
    metavar="C",
    help="Intervals that cover a share C of the targets, or sets of classes that hold them.",
)


def _costs(
    context: click.Context, parameter: click.Parameter, given: tuple[float, float] | None
) -> tuple[float, float] | None:
    """Refuse costs by which nothing can be decided."""
    if given is not None and not (all(0.0 <= cost < math.inf for cost in given) and any(given)):
        told = "the costs are finite numbers of 0 or more, and not both 0"
        raise click.BadParameter(f"{given[0]:g} {given[1]:g}: {told}.")
    return given


cost = click.option(
    "--cost",
    type=(float, float),
    callback=_costs,
    metavar="ALARM MISS",
    help="What a false alarm and a miss of the positive class cost: decisions follow.",
)
device = click.option(
    "--device",
    type=click.Choice(("cpu", "cuda")),
    default="cpu",
    show_default=True,
    help="Where a full matrix lies: cuda is a GPU, and needs fenchel[gpu].",
)
horizon = click.option(
    "--horizon",
    metavar="H",
    help="Score each prediction as if its label came H rounds later; rest: as a model frozen on "
    "the rows ahead. [default: 0]",
)
delay = click.option(
    "--delay",
    metavar="COLUMN",
    help="A column that says how many rounds after its prediction each label comes.",
)
again = click.option(
    "--late",
    is_flag=True,
    help="Rows come first without their label and again with it, under the same --id.",
)
quiet = click.option("--quiet", is_flag=True, help="Say nothing but results and errors.")

learning = together(
    click.option("--task", type=click.Choice(TASKS), metavar="NAME",
                 help=f"{', '.join(TASKS[:-1])} or {TASKS[-1]}; guessed from the labels if left out."),
    click.option("--loss", metavar="NAME", help="For learners that take one: hinge, logistic, …"),
    click.option("--bits", type=click.IntRange(1, 31), metavar="B",
                 help="Hash the names into 2^B columns."),
    click.option("--no-intercept", is_flag=True, help="Learn without a constant feature."),
)  # fmt: skip

on_error = click.option(
    "--on-error",
    type=click.Choice(("stop", "skip")),
    default="stop",
    show_default=True,
    help="What to do with a bad line.",
)

# Each may be repeated, and all but the last may have options: COLUMN:key=value,…
columns = {
    "categorical": "A column of categories that look like numbers; COLUMN:levels=a|b has these and 'other'.",
    "text": "A column of text: its words are the features; COLUMN:words=1-2 has pairs of them too.",
    "words": "A column of lists of words; COLUMN:separator=| says what is between them.",
    "date": "A column of dates or times; COLUMN:format=%d/%m/%Y where they are not as 2024-12-31.",
    "number": "A column of numbers; COLUMN:missing=indicator, or =0, says what an empty cell means.",
    "ignore": "A column to leave out, as an identifier.",
}

reading = together(
    click.option("--format", type=click.Choice(FORMATS), metavar="NAME",
                 help=f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}; guessed from the file's name if left "
                 "out."),
    click.option("--label", metavar="COLUMN", help="The label's column (csv: else the last)."),
    click.option("--weight", metavar="COLUMN", help="The column of the rows' importance."),
    *(click.option(f"--{name}", metavar="COLUMN…", multiple=True, help=told)
      for name, told in columns.items()),
    click.option("--cross", metavar="A,B", multiple=True,
                 help="Products of the features of columns or namespaces; *,* is all pairs, "
                 "categories,categories those of categories; repeat it."),
    click.option("-q", "--quadratic", metavar="AB", multiple=True,
                 help="The same by first letters, as Vowpal Wabbit has it; :: is all pairs."),
    click.option("--cubic", metavar="ABC", multiple=True, help="The same of three."),
    click.option("--index-base", type=click.Choice(("0", "1")),
                 help="The first index of svmlight.  [default: 1]"),
    click.option("--header/--no-header", default=None,
                 help="The first line of csv is a header, or a row. [default: a row if of numbers "
                 "alone]"),
    click.option("--columns", metavar="A,B,C", help="The columns of csv that has no header."),
    click.option("--separator", metavar="S", help="Between the cells of csv; tab for tabs."),
    click.option("--decimal", type=click.Choice((".", ",")), help="In the numbers of csv."),
    click.option("--quotes/--no-quotes", default=None,
                 help="A quote around a cell of csv is no part of it, or is. [default: quotes]"),
    click.option("--shuffle", type=click.IntRange(0), metavar="SEED",
                 help="Shuffle the rows of embedded data."),
    click.option("--seed", type=click.IntRange(0), default=0, metavar="N",
                 help="Another sample of generated data (zipf)."),
)  # fmt: skip

id_column = click.option("--id", metavar="COLUMN", help="A column that names the rows.")
