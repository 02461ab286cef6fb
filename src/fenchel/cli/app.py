"""The commands and their options. Their work is imported when it is asked for: help is instant."""

from __future__ import annotations

from typing import Any

import click

from fenchel import _version
from fenchel.cli import live_options, options
from fenchel.cli.errors import RefusingGroup
from fenchel.cli.process import make_ready

SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 80}


@click.group(cls=RefusingGroup, context_settings=SETTINGS)
@click.version_option(_version.__version__, prog_name="fenchel")
def main() -> None:
    """Online learning with linear models: one pass, any size of data, nothing to tune.

    DATA is a file (svmlight, Vowpal Wabbit text, CSV, JSON lines, ARFF, Parquet, Arrow; also
    gz, bz2, zst), - for standard input, embedded data (breast_cancer, wine, digits, diabetes, zipf), or
    a live source: tail:LOGS/*.jsonl, redis://HOST/STREAM, kafka://HOST/TOPIC.
    """
    make_ready()


@main.command(short_help="Learn from DATA in one pass.")
@click.argument("data", nargs=-1, required=True)
@options.one_learner
@options.device
@click.option("--save", metavar="MODEL", help="Write the learner to this file at the end.")
@click.option("--resume", metavar="MODEL", help="Go on with the learner of this file.")
@click.option("--passes", default=1, type=click.IntRange(1), show_default=True, metavar="N",
              help="Read the data N times; every tenth row is then held out.")  # fmt: skip
@click.option("--predictions", metavar="FILE", help="Each prediction, made before its label.")
@click.option("--checkpoint-every", type=click.IntRange(1), metavar="N",
              help="Save after every N rounds too.")  # fmt: skip
@live_options.live
@options.metrics
@options.interval
@click.option("--class-weight", type=click.Choice(("balanced",)),
              help="Every class counts alike in learning, by the counts of labels so far.")  # fmt: skip
@options.horizon
@options.delay
@options.again
@click.option("--half-life", type=click.FloatRange(1.0), metavar="N",
              help="Rounds after which a row counts half, for learners that forget.")  # fmt: skip
@click.option("--time-budget", type=click.FloatRange(1.0), metavar="X",
              help="auto without experts that make a row cost over X times the plain ones.")  # fmt: skip
@click.option("--progress-every", type=click.IntRange(1), metavar="N",
              help="Show progress every N rounds. [default: when they have doubled]")  # fmt: skip
@options.apart
@options.certify
@options.json_file
@options.learning
@options.reading
@options.id_column
@options.on_error
@options.quiet
def train(**given: Any) -> None:
    """Learn from DATA in one pass, and tell how good the predictions were along the way.

    Each is made before its label is seen. Without --learner the mixture `auto` learns. Several files are
    shards: with --workers or --scheduler each is learned by itself, and what was learned is merged.
    """
    from fenchel.cli.commands import train
    from fenchel.cli.tasks import settled

    train.train(**settled(given))


@main.command()
@click.argument("model")
@click.argument("data")
@click.option("--output", metavar="FILE", help="Write here instead of to standard output.")
@click.option(
    "--id",
    is_flag=False,
    flag_value="",
    metavar="[COLUMN]",
    help="Write the rows' names too: of this column, or of the one that train named.",
)
@click.option("--proba", is_flag=True, help="The probability of each class too.")
@click.option("--margin", is_flag=True, help="The margin too, one for each of several classes.")
@options.interval
@click.option("--top", type=click.IntRange(1), metavar="K", help="The K likeliest classes too.")
@options.cost
@options.reading
@options.on_error
@options.quiet
def predict(**given: Any) -> None:
    """Predict the label or number of each row of DATA, one a line.

    With any of --id, --proba, --margin, --interval and --top a table: CSV, or by the name of --output
    JSON lines or Parquet. Labels in DATA are not needed; where they are there the metrics of `fenchel test`
    are told too, on standard error.
    """
    from fenchel.cli.commands import predict

    predict.predict(**given)


@main.command(short_help="Score a MODEL on labelled DATA.")
@click.argument("model")
@click.argument("data")
@click.option("--metric", "names", metavar="NAME", multiple=True, help="Only these; repeat it.")
@options.cost
@click.option("--report", metavar="FILE", help="A page with pictures, as one HTML file.")
@options.json_file
@options.reading
@options.on_error
@options.quiet
def test(**given: Any) -> None:
    """Score the predictions of a MODEL on labelled DATA; it does not learn from them."""
    from fenchel.cli.commands import test

    test.test(**given)


@main.command(short_help="Run learners side by side, and recommend one.")
@click.argument("data", default="breast_cancer")
@options.horizon
@options.many_learners
@options.metrics
@options.certify
@click.option("--report", metavar="FILE", help="A page with pictures, as one HTML file.")
@options.spread
@options.json_file
@options.learning
@options.reading
@options.id_column
@options.on_error
@options.quiet
def compare(**given: Any) -> None:
    """Run learners side by side over one reading of DATA, and recommend one.

    Without --learner all that suit the task; without DATA the embedded breast_cancer.
    """
    from fenchel.cli.commands import compare
    from fenchel.cli.tasks import settled

    compare.compare(**settled(given))


@main.command(short_help="Take a MODEL elsewhere: ONNX, SQL, C, Python, …")
@click.argument("model")
@click.option("--to", required=True, metavar="TARGET",
              type=click.Choice(("onnx", "sql", "json", "csv", "c", "python")),
              help="onnx, sql, json, csv, c or python.")  # fmt: skip
@click.option("--output", metavar="FILE", help="Write here instead of to standard output.")
@click.option("--weights", is_flag=True,
              help="The last weights of a learner that predicts by more than them.")  # fmt: skip
def export(**given: Any) -> None:
    """Write a MODEL for a place without fenchel; it predicts there as `fenchel predict` does.

    What the target cannot hold is refused, with the reason.
    """
    from fenchel.cli.commands import export

    export.export(**given)


@main.command(short_help="Explain the predictions of a MODEL.")
@click.argument("model")
@click.argument("data")
@click.option("--top", default=5, type=click.IntRange(1), show_default=True, metavar="N",
              help="Show the N largest contributions of each row.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="All contributions, one JSON object a row.")
@options.reading
@options.on_error
def explain(**given: Any) -> None:
    """Explain each prediction: what every feature adds to the margin."""
    from fenchel.cli.commands import explain

    explain.explain(**given)


@main.command(short_help="Show what changed between two models.")
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option("--top", default=10, type=click.IntRange(1), show_default=True, metavar="N",
              help="Show the N largest changes.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="All of it as one JSON object.")
def diff(**given: Any) -> None:
    """Show what changed from model A to model B: parameters, rounds, columns, weights."""
    from fenchel.cli.commands import diff

    diff.diff(**given)


@main.command(short_help="Show what is in a MODEL.")
@click.argument("model")
@click.option("--top", default=10, type=click.IntRange(0), show_default=True, metavar="N",
              help="Show the N largest weights; 0 reads the header alone.")  # fmt: skip
@click.option("--verify", is_flag=True, help="Recompute the digest over the whole file.")
@click.option(
    "--data", metavar="DATA", help="Rank features by the evidence they carry on these rows."
)
@click.option("--json", "as_json", is_flag=True, help="All of it as one JSON object.")
@click.option("--card", is_flag=True, help="A model card in Markdown; with --data its scores too.")
def inspect(**given: Any) -> None:
    """Show what is in a MODEL: learner, parameters, rounds, largest weights."""
    from fenchel.cli.commands import inspect

    inspect.inspect(**given)


@main.command(short_help="Describe every learner, or those named.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--json", "json_file", is_flag=False, flag_value="-", metavar="[FILE]",
              help="As JSON, to standard output or to a file.")  # fmt: skip
def learners(**given: Any) -> None:
    """Describe every learner, or those named: parts, parameters, equation, theorem and cost."""
    from fenchel.cli.commands import learners

    learners.learners(**given)


@main.command()
@click.option("--data", metavar="DIR", help="Public data sets; without it embedded data.")
@click.option("--output", default="reproduce", show_default=True, metavar="DIR",
              help="Where index.html and reproduce.json go.")  # fmt: skip
@options.quiet
def reproduce(**given: Any) -> None:
    """Measure every claim of the paper: tables, pictures, one page.

    Exit status 1 if an inequality is violated.
    """
    from fenchel.cli.commands import reproduce

    reproduce.reproduce(**given)


@main.command(short_help="Serve a folder of models over the network.")
@click.argument("folder", metavar="DIR")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", default=8850, type=click.IntRange(0, 65535), show_default=True,
              help="The port of HTTP and the page; 0 takes a free one.")  # fmt: skip
@click.option("--line-port", type=click.IntRange(0, 65535), metavar="PORT",
              help="Speak Vowpal Wabbit's line protocol on this port too.")  # fmt: skip
@click.option("--line-model", default="default", show_default=True, metavar="NAME",
              help="The model of lines that name none.")  # fmt: skip
@click.option("--source", "sources", metavar="MODEL=ADDRESS", multiple=True,
              help="Learn from redis://…, kafka://… or tail:… too; repeat it.")  # fmt: skip
@click.option("--token-file", metavar="FILE", help="Tokens and their roles, one a line.")
@click.option("--certificate", metavar="PEM", help="Serve over TLS with this certificate.")
@click.option("--key", metavar="PEM", help="The certificate's private key.")
@click.option("--grace", default=30.0, show_default=True, type=click.FloatRange(1), metavar="SECONDS",
              help="The time from SIGTERM to the end, snapshots included.")  # fmt: skip
@click.option("--snapshot-rows", default=200_000, show_default=True, type=click.IntRange(1),
              metavar="N", help="Save a model after N rows at the latest.")  # fmt: skip
@click.option("--keep-log-bytes", default=1 << 30, show_default=True, type=click.IntRange(0),
              metavar="N", help="Keep so much log of a model for `fenchel replay`.")  # fmt: skip
@click.option("--patience", default=30.0, show_default=True, type=click.FloatRange(0.1),
              metavar="SECONDS", help="The time a slow client has for its next bytes.")  # fmt: skip
@click.option("--demo", is_flag=True, help="Stream embedded data to a model, to watch.")
def serve(**given: Any) -> None:
    """Serve the models of DIR: predict, learn, ask and answer, with a page to watch.

    Every label that is acknowledged is on disk. An empty or new DIR will do.
    """
    from fenchel.cli.commands import serve

    serve.serve(**given)


@main.command(short_help="Rebuild a model from a server's log.")
@click.argument("log", metavar="LOG")
@click.option("--save", required=True, metavar="MODEL", help="Write the model to this file.")
@click.option("--learner", metavar="SPEC", help="What if another learner had seen the same rows?")
@options.quiet
def replay(**given: Any) -> None:
    """Rebuild a model from the log of a server.

    LOG is the model's folder in the server's DIR, or a file in it.
    """
    from fenchel.cli.commands import replay

    replay.replay(**given)


@main.command(short_help="Merge MODELs trained apart into one.")
@click.argument("files", nargs=-1, required=True, metavar="MODEL...")
@click.option("--save", required=True, metavar="MODEL", help="Write the merged model to this file.")
@click.option("--start", metavar="MODEL", help="The model that all of them began with.")
@options.quiet
def merge(**given: Any) -> None:
    """Merge MODELs of one specification into one that has seen the rows of all."""
    from fenchel.cli.commands import merge

    merge.merge(**given)


@main.command(short_help="Compile now what the first runs would.")
@click.argument("names", nargs=-1, metavar="[LEARNER]...")
@click.option("--cache", metavar="DIR", help="Fill this folder; later set FENCHEL_CACHE_DIR to it.")
@options.quiet
def warm(**given: Any) -> None:
    """Compile now what the first runs would: for the learners named, or for `auto`.

    A filled folder may be read-only afterwards, as in a container or for other users.
    """
    from fenchel.cli.commands import warm

    warm.warm(**given)
