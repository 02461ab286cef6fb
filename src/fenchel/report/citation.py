"""Equations as pages cite them: by the paper's numbers, with a link, not by the names in its source."""

from __future__ import annotations

import re

PAPER = "https://arxiv.org/abs/1304.2994"  # the numbers are those of this preprint
NUMBERS = {
    "regret": 1, "proj-prop": 2, "useful": 3, "residue": 4, "composite_bound": 5, "tuned-bound": 6,
    "log-bound": 7, "filtering1": 9, "filtering2": 10, "f1": 12, "f2": 13, "update1": 14, "update2": 15,
    "newbound1": 16, "auer": 17, "tocompare": 18, "lang": 19, "hinge_condition": 20,
    "gen_aggr_bound2": 21, "diag-bound": 22, "nlp": 23, "pre-mb": 26,
}  # fmt: skip
_NAME = re.compile(rf"\(({'|'.join(NUMBERS)})\)")
_PLACE = re.compile(r"\beqs?\. \(\d+\)|\b(?:Theorem|Corollary|Lemma) \d\b|\bSection \d(?:\.\d)?\b")


def numbered(text: str) -> str:
    """The text with the numbers of equations.

    >>> numbered("Theorem 1, eq. (tocompare)")
    'Theorem 1, eq. (18)'
    """
    return _NAME.sub(lambda found: f"({NUMBERS[found[1]]})", text)


def linked(html: str) -> str:
    """Escaped text whose theorems and equations have numbers, and links to the paper.

    >>> linked("eq. (auer)")
    '<a href="https://arxiv.org/abs/1304.2994">eq. (17)</a>'
    """
    return _PLACE.sub(lambda found: f'<a href="{PAPER}">{found[0]}</a>', numbered(html))
