"""Both pages in a browser, on a telephone and on a screen."""

import pytest
from browser import measure

from cli.cli_helpers import run
from fenchel.report import reproduce
from fenchel.report.claims import EmbeddedData, errata, forecaster, units

WIDTHS = (360, 1200)


@pytest.fixture(scope="module", params=["compare", "reproduce"])
def page(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    if request.param == "compare":
        learners = ("--learner", "perceptron", "--learner", "vovk_azoury_warmuth")
        run("compare", "breast_cancer", *learners, "--report", folder / "index.html", "--quiet")
    else:
        source = EmbeddedData(size=0.02)
        claims = [one.measure(source) for one in (units, forecaster, errata)]
        found = [reproduce.Measured(claim, 0.0) for claim in claims]
        reproduce.write(folder, source, found, "fenchel reproduce")
    return folder / "index.html"


@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_in_a_browser(page, width, tmp_path, record_property):
    facts = measure(page, width, tmp_path)
    assert facts["width"] == width
    assert facts["wide"] <= width  # nothing sticks out to the right
    assert facts["console"] == []
    assert facts["fetched"] == []
    assert facts["outward"] == []
    assert facts["repeated"] == []
    assert facts["broken"] == 0
    assert len(facts["pictures"]) >= 3
    for picture in facts["pictures"]:
        assert picture["role"] == "img"
        assert len(picture["named"]) == 2
        assert all(picture["named"])
        assert picture["width"] > 200
        assert picture["height"] > 150
        assert picture["outside"] == 0, picture["named"]
        assert picture["letter"] >= 9
    record_property("pictures looked at in a browser", len(facts["pictures"]))
