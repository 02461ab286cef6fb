"""Advice to users on the columns of their data."""

from __future__ import annotations

from collections import defaultdict

from fenchel.cli.output import fact, say
from fenchel.learners import Learner
from fenchel.schema.dates import format_of
from fenchel.streams import Stream
from fenchel.streams.other_columns import other_columns, told

KINDS = {"category": "categories", "text": "texts", "words": "words", "date": "dates"}
ENOUGH = 50  # rows, to judge by
MOSTLY = 0.9  # of the rows have a level of their own: no category
A_SENTENCE = 3  # words
A_FEW = 7  # levels: of so many dates each may well be a category


def tell_kinds(stream: Stream) -> None:
    """Tell which column is the label, and which are not numbers: one of numbers among them is a mistake."""
    schema = stream.schema
    if schema.label is not None:
        fact("label", schema.label)
    by_kind: dict[str, list[str]] = defaultdict(list)
    for name in schema.learned_columns:
        by_kind[schema.kinds[name].word].append(name)
    for word, title in KINDS.items():
        if by_kind[word]:
            fact(title, told(by_kind[word]))
    if schema.crosses:
        fact("crosses", "; ".join(" × ".join(cross) for cross in schema.crosses))


def tell_odd_categories(stream: Stream, rows: int) -> None:
    """Advise on categories that are dates, or of which nearly every row has another level."""
    names, schema = stream.names, stream.schema
    if names is None or names.bits is not None or rows < ENOUGH:
        return
    guessed = {n for n in schema.learned_columns if schema.kinds[n].word == "category"}
    guessed -= schema.declared
    levels: dict[str, list[str]] = defaultdict(list)
    for name in names if guessed else ():
        column, _, level = name.partition("=")
        levels[column].append(level)
    for column in sorted(guessed):
        found = levels[column]
        if len(found) > A_FEW and (form := format_of(found, MOSTLY)) is not None:
            date = f"'{column}:format={form}'" if form else column
            say(f"{column} has dates: --date {date} learns from their parts")
            continue
        if len(found) <= MOSTLY * rows:
            continue
        sentences = sum(len(level.split()) >= A_SENTENCE for level in found)
        what = f"{column} has {len(found):,} different values in {rows:,} rows"
        if 2 * sentences > len(found):
            say(f"{what} of several words: --text {column} learns from the words")
        else:
            say(f"{what}: if it names the rows, --ignore {column} leaves it out")


def tell_other_columns(data: str, model: str, learner: Learner, stream: Stream) -> None:
    """Tell which columns the model has learned from and the data lacks, and which it does not know."""
    given = stream.raw_columns
    if not given:
        return
    roles = {stream.schema.label, stream.schema.id}
    absent, new = other_columns(learner.schema, learner.names, given, roles)
    if absent:
        say(f"{data}: there is no column {told(absent)}, which {model} has learned from")
    if new:
        say(f"{data}: the column {told(new)} is not known to {model}, and not used")
