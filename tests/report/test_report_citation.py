"""Pages cite the paper by its numbers."""

import json
import re
from pathlib import Path

from fenchel.report.citation import NUMBERS, linked, numbered

PAPER = json.loads((Path(__file__).parents[2] / "docs" / "paper.json").read_text(encoding="utf-8"))
SOURCE = Path(__file__).parents[2] / "src" / "fenchel"


def test_the_numbers_are_those_of_the_table():
    places = "; ".join(each["place"] for part in PAPER.values() for each in part)
    told = {name: int(n) for n, name in re.findall(r"\((\d+)\) ([\w-]+)", places)}
    assert told == NUMBERS


def test_every_name_in_the_code_has_its_number():
    text = "".join(file.read_text(encoding="utf-8") for file in SOURCE.rglob("*.py"))
    names = set(re.findall(r"eq\. \(([a-z][\w-]*)\)", text))
    assert names
    assert names <= set(NUMBERS)


def test_attributes_stay_plain():
    assert numbered("Corollary 2, eq. (gen_aggr_bound2)") == "Corollary 2, eq. (21)"
    assert linked("nothing of the paper") == "nothing of the paper"
    assert linked("Lemma 2").startswith("<a href=")
