"""The summary of a campaign, ``benchmarks/AUDIT.md``."""

import platform
from pathlib import Path

import numpy as np

import fenchel

PATH = Path(__file__).resolve().parents[2] / "benchmarks" / "AUDIT.md"


def write(tally, minutes, seed, skipped):
    PATH.write_text(text(tally, minutes, seed, skipped), encoding="utf-8")
    return PATH.relative_to(PATH.parents[1])


def text(tally, minutes, seed, skipped):
    total = sum(tally.counts.values())
    real = f"Real streams were skipped: {skipped}." if skipped else "Real streams were there."
    parts = [
        "# Every certificate, audited",
        f"Made by `python -m tests.audit --minutes {minutes:g} --seed {seed}` (`make audit` takes 10 "
        f"minutes) with fenchel {fenchel.__version__}, Python {platform.python_version()}, NumPy "
        f"{np.__version__}. Losses, regularizers, rules, both sides of every inequality and AdaHedge are "
        "written anew in dense NumPy (`tests/audit`) and run by `MirrorDescent` alone: nothing of the "
        "compiled loops, their ledger or the package's theorems is shared. Streams are random, "
        f"heavy-tailed, weighted, adversarial, with columns that appear later, and real ones. {real}",
        f"**{tally.runs:,} runs, {total:,} certificates that apply: {len(tally.wrong)} wrong.** A "
        "certificate is wrong where a side differs from the audit's by more than 10⁻⁶ of the larger "
        "one, or its inequality does not hold. Every margin of a single learner was compared too. "
        f"{tally.undecided:,} are undecided by rounding, {tally.vacuous:,} have a bound of more than "
        f"100 times what was achieved (most of them at a u drawn at random), {tally.diverged:,} more "
        "runs diverged and are not counted. The bound published for a variant, which promises "
        f"nothing, was recomputed {tally.variants:,} times; of `auto` {tally.held:,} certificates held, "
        "which were not recomputed.",
        table(
            ("theorem", "certificates", "tightest bound/achieved"),
            [
                (name, f"{count:,}", ratio(tally.tightest.get(name)))
                for name, count in sorted(tally.counts.items())
            ],
        ),
        counted("learner", tally.learners),
        counted("stream", tally.kinds),
    ]
    if tally.wrong:
        parts += ["## Wrong", *(f"```\n{finding}\n```" for finding in tally.wrong[:20])]
    return "\n\n".join(parts) + "\n"


def counted(what, counts):
    return table((what, "certificates"), [(k, f"{n:,}") for k, n in sorted(counts.items())])


def ratio(value):
    """Four digits, or none where nothing positive was ever achieved."""
    return "–" if value is None else f"{value:.4g}"


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in lines)
