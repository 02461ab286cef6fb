"""Pictures: well-formed SVG, places of values, ticks, legends, words."""

from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fenchel.report.axes import Axis, Scale
from fenchel.report.plot import Series, draw
from fenchel.report.text import figure

SVG = "{http://www.w3.org/2000/svg}"
values = st.lists(
    st.floats(-1e12, 1e12, allow_subnormal=False) | st.sampled_from([0.0, np.inf, np.nan]),
    max_size=30,
)


def drawn(*series, x=None, y=None):
    text = draw("A title", x or Axis("x"), y or Axis("y"), series)
    return ElementTree.fromstring(text)


@settings(max_examples=60, deadline=None)
@given(values, st.booleans(), st.booleans())
def test_any_values_make_a_sound_picture(ys, log_x, log_y):
    picture = drawn(
        Series("<a & b>", np.arange(len(ys)), ys), x=Axis("x", log_x), y=Axis("y", log_y)
    )
    width, height = map(float, picture.get("viewBox").split()[2:])
    for line in picture.iter(f"{SVG}polyline"):
        for point in line.get("points").split():
            x, y = map(float, point.split(","))
            assert 0.0 <= x <= width
            assert 0.0 <= y <= height


def test_text_alternatives():
    picture = drawn(Series("ours", [1, 10], [2, 3]), Series("theirs", [1, 10], [5, 9]))
    assert picture.get("role") == "img"
    named = {e.get("id"): e.text for e in picture if e.tag in (f"{SVG}title", f"{SVG}desc")}
    assert set(picture.get("aria-labelledby").split()) == set(named)
    assert "A title" in named.values()
    assert any("theirs: from 5 at 1 to 9 at 10" in text for text in named.values())


def test_a_long_legend_stays_inside():
    picture = drawn(*(Series(f"a series with a long name {k}", [1], [k]) for k in range(8)))
    height = float(picture.get("viewBox").split()[3])
    texts = [e for e in picture.iter(f"{SVG}text") if "series" in (e.text or "")]
    assert len(texts) == 8
    assert len({e.get("y") for e in texts}) > 3
    assert all(float(e.get("y")) < height for e in texts)


@pytest.mark.parametrize(
    ("low", "high", "log", "ticks"),
    [
        (1.0, 1e5, True, [1, 10, 100, 1e3, 1e4, 1e5]),
        (3.0, 45.0, True, [5, 10, 20]),
        (0.0, 10.0, False, [0, 2, 4, 6, 8, 10]),
        (-3.0, 1.0, False, [-3, -2, -1, 0, 1]),
        (7.0, 7.0, False, [6.6, 6.8, 7.0, 7.2, 7.4]),
    ],
)
def test_ticks(low, high, log, ticks):
    scale = Scale(Axis("", log), np.array([low, high]), 0.0, 100.0)
    np.testing.assert_allclose(scale.ticks(), ticks)


def test_logarithmic_places():
    scale = Scale(Axis("", True), np.array([1.0, 100.0]), 10.0, 30.0)
    np.testing.assert_allclose(scale.place(np.array([1.0, 10.0, 100.0])), [10.0, 20.0, 30.0])


@pytest.mark.parametrize(
    ("value", "text"),
    [(1234.5, "1,234"), (0.00012, "1.2·10⁻⁴"), (1e8, "10⁸"), (-0.5, "−0.5"), (99999.6, "100,000")],
)
def test_figures(value, text):
    assert figure(value) == text


def test_a_logarithmic_axis_of_values_that_hardly_differ_has_ticks():
    ticks = Scale(Axis("rows", log=True), np.array([556.0, 569.0]), 0.0, 100.0).ticks()
    assert len(ticks) >= 2
    assert all(556.0 <= tick <= 569.0 for tick in ticks)
