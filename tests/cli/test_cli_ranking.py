"""``--task ranking``: queries from svmlight, whole whatever the blocks, scores out."""

import json

import numpy as np
import pytest
from cli_helpers import run, write_lines

from fenchel import learners

RNG = np.random.default_rng(0)
X = np.round(RNG.normal(size=(150, 4)), 3)
QUERIES = np.sort(RNG.integers(1, 20, size=150))
RELEVANCE = np.clip(np.round(X @ [2.0, -1.0, 0.0, 0.0]), 0, 3).astype(int)


def lines(rows=slice(None)):
    for x, y, q in zip(X[rows], RELEVANCE[rows], QUERIES[rows], strict=True):
        yield f"{y} qid:{q} " + " ".join(f"{j + 1}:{value}" for j, value in enumerate(x))


def expected(specification="arow"):
    learner = learners.ranking(learners.from_specification(specification))
    learner.learn_many(X, np.column_stack([RELEVANCE, QUERIES]))
    return learner


def test_train_and_predict(tmp_path) -> None:
    data = write_lines(tmp_path / "d.svm", lines())
    said = run("train", data, "--task", "ranking", "--save", tmp_path / "m",
               "--json", tmp_path / "j").stderr  # fmt: skip
    learner = expected()
    assert f"{learner.auc:.6f}" in said
    assert "NDCG" in said
    found = json.loads((tmp_path / "j").read_text())
    assert found["learners"][0]["auc"] == pytest.approx(learner.auc)
    scores = np.loadtxt(run("predict", tmp_path / "m", data).stdout.splitlines())
    np.testing.assert_allclose(scores, learner.decision_many(X), rtol=1e-9)


def test_blocks_and_files_that_end_between_queries_change_nothing(tmp_path, monkeypatch) -> None:
    from fenchel.cli import sources

    opened = sources.open_stream
    monkeypatch.setattr(sources, "open_stream", lambda *a, **k: opened(*a, **k, block_rows=7))
    cut = int(np.searchsorted(QUERIES, 10))
    first = write_lines(tmp_path / "a.svm", lines(slice(0, cut)))
    second = write_lines(tmp_path / "b.svm", lines(slice(cut, None)))
    run("train", first, "--task", "ranking", "--learner", "perceptron", "--save", tmp_path / "m")
    run("train", second, "--resume", tmp_path / "m", "--save", tmp_path / "m")
    found = learners.Learner.load(tmp_path / "m")
    np.testing.assert_array_equal(found.weights(), expected("perceptron").weights())


@pytest.mark.parametrize(
    ("text", "options", "status", "match"),
    [
        ("1 1:2", (), 1, "row 1 belongs to no query"),
        ("1 qid:3 1:2", ("--passes", "2"), 2, "one pass"),
        ("1 qid:3 1:2", ("--learner", "auto"), 2, "auto does not rank"),
    ],
)
def test_what_cannot_be_ranked_is_refused(tmp_path, text, options, status, match) -> None:
    data = write_lines(tmp_path / "d.svm", [text])
    said = run("train", data, "--task", "ranking", *options, status=status).stderr
    assert match in said
