"""``MOVING.md`` from the figures of ``benchmarks.moving``."""

import platform
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

PATH = Path(__file__).with_name("MOVING.md")
OF_EXPERT, OF_BATCH, OF_PLAIN, DEARER = 1.03, 1.05, 1.005, 0.30
Figures = dict[str, Any]


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def number(value: float) -> str:
    return f"{value:.4f}" if value < 100 else f"{value:.0f}"


def judged(value: float, most: float) -> str:
    return f"{value:.3f}" + ("" if value <= most else " **no**")


def frozen(found: Figures) -> Iterator[str]:
    yield (
        "`auto` on the first 80 % in time order, then without learning on the last 20 %: the share of\n"
        "mistakes, or the squared error. *Next-round shares* is what it would do frozen if it did not\n"
        "choose for that use. The best expert is the best of its own on these very rows, known only\n"
        "afterwards; p is that of a sign test between the two. Batch is scikit-learn's LogisticRegression\n"
        f"or Ridge on scaled features, fitted on the same 80 %. Asked: {OF_EXPERT} × the best expert,\n"
        f"{OF_BATCH} × batch."
    )
    head = ["stream", "next-round shares, frozen", "auto frozen", "best expert frozen", "batch",
            "÷ best expert", "p", "÷ batch"]  # fmt: skip
    rows = []
    for name, f in found.items():
        cells = [number(f[key]) for key in ("following", "frozen", "best", "batch")]
        p = "–" if f["p"] is None else f"{f['p']:.2g}"
        ratios = (
            judged(f["frozen"] / f["best"], OF_EXPERT),
            judged(f["frozen"] / f["batch"], OF_BATCH),
        )
        rows.append([name, *cells, ratios[0], p, ratios[1]])
    yield table(head, rows)


def along(found: Figures) -> Iterator[str]:
    yield (
        "Share of mistakes over the whole stream, each prediction made before its label: `auto`, the same\n"
        "mixture without its experts that forget, and River's linear models (logistic regression,\n"
        "passive-aggressive, Perceptron, ALMA, softmax) and ADWIN-based ones (bagging and boosting of\n"
        "three, begun anew; and DDM's retraining, each over logistic regression) on standardised\n"
        "features. The generated streams jump, drift, return, or change their scale (`moving_data.py`).\n"
        "Asked: no more than each of River's."
    )
    rows = []
    for name, f in found.items():
        adwin = {k: v for k, v in f["River"].items() if "ADWIN" in k or "DDM" in k}
        linear = {k: v for k, v in f["River"].items() if k not in adwin}
        bests = [min(which.items(), key=lambda item: item[1]) for which in (linear, adwin)]
        cells = [f"{value:.4f} ({told})" for told, value in bests]
        least = min(value for _, value in bests)
        verdict = "" if f["auto"] <= least else " **no**"
        mine = [number(f["auto"]) + verdict, number(f["plain"])]
        rows.append([name, str(f["rows"]), *mine, *cells])
    head = [
        "stream",
        "rows",
        "auto",
        "without forgetting",
        "River's best linear",
        "its best that watches for drift",
    ]
    yield table(head, rows)


def steady(found: Figures) -> Iterator[str]:
    yield (
        "Streams that do not change: mistakes, or the squared error. Asked: within 0.5 % of the mixture\n"
        "without experts that forget."
    )
    rows = [
        [name, number(f["auto"]), number(f["plain"]), judged(f["auto"] / f["plain"], OF_PLAIN)]
        for name, f in found.items()
    ]
    yield table(["stream", "auto", "without forgetting", "ratio"], rows)


def alarms(found: Figures) -> Iterator[str]:
    yield (
        "`evaluate.change_points` on losses 0 or 1: steady streams, then a change of their mean. The\n"
        "stated rate is the chance of any false alarm, however long the stream; the threshold is the\n"
        "proven one, and careful."
    )
    rows = [
        [name, f"{f['runs']:,} × {f['rounds']:,}", str(f["false"]), f"{f['rate']:g}",
         f"{f['seen']:,} of {f['runs']:,}", "–" if f["median delay"] is None else f"{f['median delay']:.0f}"]
        for name, f in found.items()
    ]  # fmt: skip
    head = ["mean loss", "steady streams × rounds", "with a false alarm", "stated rate", "changes seen",
            "median delay, rounds"]  # fmt: skip
    yield table(head, rows)


def foresight(found: Figures) -> Iterator[str]:
    yield (
        "Processor time of `auto` on 30 dense columns, the least of five runs in turns: without\n"
        "candidates for frozen use, with them, and with all that `train` watches (the frozen loss, the\n"
        "loss of late, change points). Asked: at most 30 % more."
    )
    rows = []
    for f in found.values():
        more = [f[way] / f["without"] - 1.0 for way in ("candidates", "train")]
        told = [f"{m:+.0%}" + ("" if m <= DEARER else " **no**") for m in more]
        rows.append([f"{f['rows']:,}", f"{f['without']:.3f} s", *told])
    yield table(["rows", "without", "with candidates", "as in train"], rows)


PARTS = {
    "frozen": frozen,
    "along": along,
    "steady": steady,
    "alarms": alarms,
    "foresight": foresight,
}


def page(known: Figures) -> Iterator[str]:
    yield "# Streams that change"
    tools = ", ".join(f"{name} {version(name)}" for name in ("river", "scikit-learn", "numpy"))
    yield (
        f"Made by `python -m benchmarks.moving` from `moving_figures.json`; {tools}, Python\n"
        f"{platform.python_version()}. Filters are in `FILTERS.md`, late labels in `DELAYS.md`."
    )
    for name, part in PARTS.items():
        if name in known:
            yield f"## {name}"
            yield from part(known[name])


def write(known: Figures) -> None:
    PATH.write_text("\n\n".join(page(known)) + "\n")
