"""``fenchel compare --report``: one page that stands alone, for every task."""

import re

import numpy as np
import pytest

from cli.cli_helpers import run, text_lines, write_lines
from fenchel.evaluate.curve import Curve
from fenchel.evaluate.mean_loss import MeanLoss
from fenchel.report.citation import PAPER
from fenchel.report.feature_importance import evidence
from fenchel.report.stream_stats import StreamStats
from fenchel.streams import from_arrays

LEARNERS = ("--learner", "perceptron", "--learner", "arow", "--quiet")
TITLES = ["What the recommendation rests on", "Loss along the stream", "Regret and bounds",
          "Weights and their evidence", "Features"]  # fmt: skip


def headings(page):
    return re.findall("<h2>(.*?)</h2>", page)


def test_a_page_of_two_classes(tmp_path):
    said = run("compare", "breast_cancer", *LEARNERS, "--report", tmp_path / "p.html").stdout
    page = (tmp_path / "p.html").read_text()
    assert headings(page) == TITLES
    assert page.count("<svg") == page.count('role="img"') == 5  # two of losses, of bounds, features
    assert "malignant is −1, benign is +1" in page
    assert "fenchel compare breast_cancer --learner perceptron --learner arow --report" in page
    assert "previous label" in page
    assert "from round 50 on" in page
    assert " ".join(said.partition("Use arow")[2].split())[:40] in page
    assert len(re.findall("<td>(?:mean|worst) [a-z ]+</td>", page)) >= 10  # features by name
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "").replace(PAPER, "")
    assert "eq. (21)</a>" in page
    assert not re.search(r"\(\w+[_-]\w*bound\w*\)", page)  # a name in the paper's source
    assert "<script" not in page


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_files_of_every_task(tmp_path, task):
    data = write_lines(tmp_path / "d.vw", text_lines(120, task))
    learner = "lms" if task == "regression" else "perceptron"
    run("compare", data, "--task", task, "--learner", learner, "--quiet",
        "--report", tmp_path / "p.html")  # fmt: skip
    page = (tmp_path / "p.html").read_text()
    assert headings(page) == TITLES
    assert ("No theorem speaks" in page) == (task == "multiclass")
    assert "<td>f^w" in page


def test_names_are_escaped(tmp_path):
    data = write_lines(tmp_path / "d.vw", ["1 | <b>&a", "-1 | c", "1 | <b>&a", "-1 | c"])
    run("compare", data, *LEARNERS, "--report", tmp_path / "p.html")
    page = (tmp_path / "p.html").read_text()
    assert "&lt;b&gt;&amp;a" in page
    assert "<b>" not in page


def test_a_folder_that_is_not_there(tmp_path):
    run("compare", *LEARNERS, "--report", tmp_path / "no" / "p.html", status=2)


def test_curves_do_not_depend_on_blocks():
    rng = np.random.default_rng(0)
    losses, weights = rng.random(300), rng.choice([0.0, 1.0, 2.0], 300)
    for importance in (None, weights):
        whole, pieces, before = Curve(), Curve(), MeanLoss()
        whole.see(before, losses, importance)
        for part in np.array_split(np.arange(300), [1, 2, 7, 50, 250]):
            some = losses[part], None if importance is None else importance[part]
            pieces.see(before, *some)
            before = before.plus(*some)
        given = np.ones(300) if importance is None else importance
        for (n, loss), (m, again) in zip(whole.points(before), pieces.points(before), strict=True):
            assert n == m
            assert loss == pytest.approx(again)
            assert loss == pytest.approx(losses[:n] @ given[:n] / given[:n].sum())
        assert whole.points(before)[-1][0] == 300


def test_what_is_watched_is_the_stream():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(50, 6)) * (rng.random((50, 6)) < 0.4)
    watched = StreamStats()
    seen = list(watched.through(from_arrays(X, np.ones(50), block_rows=7)))
    assert sum(len(block) for block in seen) == watched.rounds == watched.kept == 50
    np.testing.assert_array_equal(watched.counts, (X != 0.0).sum(axis=0))
    np.testing.assert_allclose(watched.sizes, np.abs(X).sum(axis=0))
    cut = [sum(len(block) for block in piece) for piece in watched.pieces([3, 20, 50])]
    assert cut == [3, 17, 30]


def test_evidence_is_the_size_of_what_a_feature_added():
    from fenchel import learners

    X = np.array([[1.0, 0.0, 2.0], [0.0, 5.0, 1.0], [3.0, 0.0, 0.0]])
    learner = learners.perceptron(intercept=False)
    learner.learn_many(X, [1, -1, 1])
    w = learner.weights()
    added = np.abs(X * w).sum(axis=0)
    found = evidence(learner, (X != 0.0).sum(axis=0), np.abs(X).sum(axis=0), top=3)
    assert [one.column for one in found] == np.argsort(-added)[: len(found)].tolist()
    for one in found:
        assert one.share == pytest.approx(added[one.column] / added.sum())
        assert one.weight == w[one.column]
