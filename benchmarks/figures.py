"""The figures in README and documentation, taken from the files that benchmarks wrote.

A text holds a figure between two comments that do not show:

    <!--figure quality.binary.vowpal-->26 of 28<!--/figure-->

``python -m benchmarks.figures`` puts the present value of each between them; a test finds stale ones.
Those of single learners are named by their family: ``error.elec2.arow:diagonal=no``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.learner_standings import FAMILIES, percent

HERE = Path(__file__).parent
ROOT = HERE.parent
FIGURE = re.compile(r"<!--figure ([\w.:=]+)-->(.*?)<!--/figure-->", re.DOTALL)
RUNS = 10_000  # single rows that benchmarks.speed learns in one repetition
ONE_BY_ONE = "auto, predict_one and learn_one, 5,000 dicts of 10"


def tables(file: str, heading: str = "") -> Iterator[list[dict[str, str]]]:
    """The tables of a Markdown file, or of one section of it: each row by its headings."""
    text = (HERE / file).read_text(encoding="utf-8")
    section = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0] if heading else text
    for block in re.findall(r"(?:^\|.*\n)+", section + "\n", re.MULTILINE):
        head, _, *rows = ([c.strip() for c in line.split("|")[1:-1]] for line in block.splitlines())
        yield [dict(zip(head, row, strict=True)) for row in rows]


def compared(task: str, half: str, column: str) -> str:
    """On how many sets auto is at least as good: ``26 of 28``."""
    row = next(row for row in next(tables("QUALITY.md", task)) if row["half"] == half)
    return f"{row[column]} of {row['sets']}"


def worse_than(*columns: str) -> str:
    """The sets of two classes on which auto makes more mistakes than the best of some, with both figures."""
    found = []
    for row in list(tables("QUALITY.md", "Binary"))[1]:
        own, best = row["auto"].strip("*"), min(row[column].split()[0] for column in columns)
        if float(best) < float(own):
            found.append(f"{row['set']} ({own} against {best})")
    if not found:
        return "none"
    return " and ".join([", ".join(found[:-1]), found[-1]] if len(found) > 1 else found)


def measured(work: str, column: str) -> str:
    """A time of benchmarks/RESULTS.md, in seconds to two digits."""
    row = next(row for row in next(tables("RESULTS.md")) if row["work"] == work)
    value, unit = row[column].split()
    return f"{float(value) / (1000.0 if unit == 'ms' else 1.0):.2g} s"


def each_row(column: str, work: str = "learn_one, dicts of 60", rows: int = RUNS) -> str:
    """The time of one row, such as of learn_one of 60 features."""
    return f"{1e6 * measured_exactly(work, column) / rows:.1f} µs"


def measured_exactly(work: str, column: str) -> float:
    """The same time in seconds, as it was measured."""
    row = next(row for row in next(tables("RESULTS.md")) if row["work"] == work)
    value, unit = row[column].split()
    return float(value) / (1000.0 if unit == "ms" else 1.0)


def in_all(column: str) -> str:
    """The same over all tasks: ``53 of 55``."""
    parts = [compared(task, "all", column).split(" of ") for task in TASKS]
    return " of ".join(str(sum(int(part[k]) for part in parts)) for k in (0, 1))


def cell(file: str, heading: str, row: str, column: str, table: int = 0) -> float:
    """A number of a table: of the row whose first cell begins so."""
    rows = list(tables(file, heading))[table]
    found = next(each for each in rows if next(iter(each.values())).strip("`").startswith(row))
    return float(found[column].split()[0].strip("*%+").replace(",", ""))


def gains() -> list[float]:
    """What a calibration of scikit-learn takes off the log loss, set by set, the largest first."""
    rows = next(tables("CALIBRATED.md"))
    return sorted((float(row["gain"].strip("%+")) for row in rows), reverse=True)


def coverage_gap() -> str:
    """How far the coverage of intervals is from 0.90 at most, on streams of more than 2,000 rows."""
    rows = next(tables("INTERVALS.md", "Around auto on the regression streams, target 0.90"))
    long = [row for row in rows if int(row["rows"].replace(",", "")) > 2000]
    return f"{max(abs(float(row['coverage']) - 0.9) for row in long):.3f}"


def widths() -> str:
    """The widths of intervals over those of tuned methods: from … to …"""
    rows = next(tables("INTERVALS.md", "Around fixed forecasts, target 0.90"))
    ratios = [float(row["ratio"]) for row in rows]
    return f"{min(ratios):.2f} to {max(ratios):.2f}"


def late(column: str) -> str:
    """Mistakes on elec2 with late labels: the best learner of River, against auto."""
    rows = next(tables("DELAYS.md"))
    river = min(float(row[column]) for row in rows if row["error"].startswith("River"))
    auto = next(float(row[column]) for row in rows if "auto" in row["error"])
    return f"{percent(river)} against {percent(auto)}"


TASKS = ("Binary", "Multiclass", "Regression")
OJA = "Vowpal Wabbit `--OjaNewton --sketch_size 10"
SPLICE, SPAM = "splice, 3175 × 60", "spam_stream, 9324 × 39916"
BETTER, PEERS = "the better of the two", "best of River, scikit-learn"
FIGURES: dict[str, Callable[[], str]] = {
    "quality.binary.vowpal": lambda: compared("Binary", "all", BETTER),
    "quality.binary.held_out": lambda: compared("Binary", "held out", BETTER),
    "quality.binary.peers": lambda: compared("Binary", "all", PEERS),
    "quality.binary.expert": lambda: compared("Binary", "all", "best expert"),
    "quality.binary.worse": lambda: worse_than("vowpal hinge", "vowpal logistic"),
    "quality.binary.worse_than_peers": lambda: worse_than(PEERS),
    "quality.multiclass.vowpal": lambda: compared("Multiclass", "all", BETTER),
    "quality.multiclass.peers": lambda: compared("Multiclass", "all", PEERS),
    "quality.multiclass.expert": lambda: compared("Multiclass", "all", "best expert"),
    "quality.regression.vowpal": lambda: compared("Regression", "all", BETTER),
    "quality.regression.peers": lambda: compared("Regression", "all", PEERS),
    "quality.regression.expert": lambda: compared("Regression", "all", "best expert"),
    "quality.all.vowpal": lambda: in_all(BETTER),
    "quality.covtype.expert": lambda: percent(
        cell("QUALITY.md", "Multiclass", "covtype", "best expert", 1)
    ),
    "quality.covtype.vowpal": lambda: percent(
        cell("QUALITY.md", "Multiclass", "covtype", "vowpal oaa", 1)
    ),
    "sketched.splice": lambda: percent(cell("SKETCHED.md", SPLICE, "sketched_newton", "error")),
    "sketched.splice.adagrad": lambda: percent(cell("SKETCHED.md", SPLICE, "adagrad", "error")),
    "sketched.splice.newton": lambda: percent(
        cell("SKETCHED.md", SPLICE, "online_newton", "error")
    ),
    "sketched.splice.oja": lambda: percent(cell("SKETCHED.md", SPLICE, OJA, "error")),
    "sketched.spam": lambda: percent(cell("SKETCHED.md", SPAM, "sketched_newton", "error")),
    "sketched.spam.oja": lambda: percent(cell("SKETCHED.md", SPAM, OJA, "error")),
    "moving.elec2.along": lambda: percent(cell("MOVING.md", "along", "elec2", "auto")),
    "moving.elec2.next_round": lambda: percent(
        cell("MOVING.md", "frozen", "elec2", "next-round shares, frozen")
    ),
    "moving.elec2.frozen": lambda: percent(cell("MOVING.md", "frozen", "elec2", "auto frozen")),
    "delays.elec2.day": lambda: late("elec2, 48"),
    "delays.elec2.long": lambda: late("elec2, 500"),
    "calibrated.most": lambda: f"{gains()[0]:.1f} %",
    "flips.vowpal": lambda: next(
        row["flips that load"]
        for row in next(tables("FLIPS.md"))
        if row["model of"] == "Vowpal Wabbit"
    ),
    "intervals.gap": coverage_gap,
    "intervals.widths": widths,
    "speed.arow.gigabyte": lambda: measured("arow, file of 1 GB", "fenchel"),
    "speed.auto.gigabyte": lambda: measured("auto, file of 1 GB", "fenchel"),
    "speed.vowpal.gigabyte": lambda: measured("arow, file of 1 GB", "it takes"),
    "speed.first": lambda: measured("auto, ten lines, the very first run", "fenchel"),
    "speed.first.table": lambda: measured("auto, 569 rows of 30, the very first run", "fenchel"),
    "speed.auto.one": lambda: each_row("fenchel", ONE_BY_ONE, 5_000),
    "speed.auto.one.river": lambda: each_row("it takes", ONE_BY_ONE, 5_000),
    "speed.learn_one": lambda: each_row("fenchel"),
    "speed.learn_one.river": lambda: each_row("it takes"),
}


def present(name: str) -> str:
    """The present value of a figure."""
    family, _, rest = name.partition(".")
    return FAMILIES[family](*rest.split(".")) if family in FAMILIES else FIGURES[name]()


def renewed(text: str) -> str:
    """The text with the present value of every figure."""
    return FIGURE.sub(
        lambda found: f"<!--figure {found[1]}-->{present(found[1])}<!--/figure-->", text
    )


def pages() -> list[Path]:
    """The files that may hold figures."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def main() -> None:
    """Renew every page."""
    for page in pages():
        before = page.read_text(encoding="utf-8")
        after = renewed(before)
        if after != before:
            page.write_text(after, encoding="utf-8")
            print(page.relative_to(ROOT))


if __name__ == "__main__":
    main()
