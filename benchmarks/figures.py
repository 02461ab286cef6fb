"""The figures in README and documentation, taken from the files that benchmarks wrote.

A text holds a figure between two comments that do not show:

    <!--figure quality.binary.vowpal-->26 of 28<!--/figure-->

``python -m benchmarks.figures`` puts the present value of each between them; a test finds stale ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
FIGURE = re.compile(r"<!--figure ([\w.]+)-->(.*?)<!--/figure-->", re.DOTALL)
RUNS = 10_000  # single rows that benchmarks.speed learns in one repetition


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
    return " and ".join([", ".join(found[:-1]), found[-1]] if len(found) > 1 else found)


def measured(work: str, column: str) -> str:
    """A time of benchmarks/RESULTS.md, in seconds to two digits."""
    row = next(row for row in next(tables("RESULTS.md")) if row["work"] == work)
    value, unit = row[column].split()
    return f"{float(value) / (1000.0 if unit == 'ms' else 1.0):.2g} s"


def each_row(column: str) -> str:
    """The time of one learn_one of 60 features."""
    seconds = float(measured_exactly("learn_one, dicts of 60", column)) / RUNS
    return f"{1e6 * seconds:.1f} µs"


def measured_exactly(work: str, column: str) -> float:
    """The same time in seconds, as it was measured."""
    row = next(row for row in next(tables("RESULTS.md")) if row["work"] == work)
    value, unit = row[column].split()
    return float(value) / (1000.0 if unit == "ms" else 1.0)


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
    "speed.arow.gigabyte": lambda: measured("arow, file of 1 GB", "fenchel"),
    "speed.auto.gigabyte": lambda: measured("auto, file of 1 GB", "fenchel"),
    "speed.vowpal.gigabyte": lambda: measured("arow, file of 1 GB", "it takes"),
    "speed.first": lambda: measured("auto, ten lines, the very first run", "fenchel"),
    "speed.learn_one": lambda: each_row("fenchel"),
    "speed.learn_one.river": lambda: each_row("it takes"),
}


def renewed(text: str) -> str:
    """The text with the present value of every figure."""
    return FIGURE.sub(
        lambda found: f"<!--figure {found[1]}-->{FIGURES[found[1]]()}<!--/figure-->", text
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
