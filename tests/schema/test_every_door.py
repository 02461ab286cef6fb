"""A model trained through one door and used through another: the same row, the same margin, to the bit."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from raw_rows import as_strings, raw_rows, write_csv, write_jsonl

from cli.cli_helpers import run
from fenchel import Learner, Schema, learners
from fenchel.estimators import OnlineRegressor
from fenchel.learners.column_warnings import OtherColumnsWarning

TRAINED, USED = raw_rows(300, 1), raw_rows(80, 2)
SAID = {
    "plain": [],
    "declared": ["--categorical", "hour", "--text", "body", "--date", "when", "--words", "tags"],
    "with options": ["--text", "body:words=1-2,letters=3-3,counts=no", "--number", "rare:missing=indicator",
                     "--date", "when:format=%Y-%m-%dT%H:%M:%S", "--categorical", "site:levels=a|b b"],
    "crossed": ["--categorical", "hour", "--text", "body", "--cross", "site,hour", "--cross", "ad,price"],
    "hashed": ["--text", "body", "--cross", "categories,categories", "--bits", "10", "--ignore", "when"],
}  # fmt: skip


@pytest.fixture(scope="module", params=SAID)
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("doors")
    data = write_csv(folder / "train.csv", TRAINED)
    path = folder / "m.fenchel"
    run("train", data, "--task", "regression", "--save", path, "--quiet", *SAID[request.param])
    return path


def unlabelled(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name != "y"} for row in rows]


def test_every_door_gives_the_same_margin(model: Path, tmp_path: Path) -> None:
    learner, rows = Learner.load(model), unlabelled(USED)
    one = np.array([learner.decision_one(row) for row in rows])
    strings = [learner.decision_one(as_strings(row)) for row in rows]
    frame = pd.DataFrame(rows)
    pl.DataFrame(rows).write_parquet(tmp_path / "p.parquet")
    files = [write_csv(tmp_path / "p.csv", rows), write_jsonl(tmp_path / "p.jsonl", rows)]
    doors = {
        "strings": strings,
        "many": learner.decision_many(rows),
        "pandas": learner.decision_many(frame),
        "polars": learner.decision_many(pl.DataFrame(rows)),
        "shuffled columns": learner.decision_many(frame[frame.columns[::-1]]),
    }
    for file in (*files, tmp_path / "p.parquet"):
        blocks = list(learner.open(file, learning=False))
        doors[file.suffix] = np.concatenate([learner.decision_many(block) for block in blocks])
        told = run("predict", model, file).stdout.split()
        doors[f"predict {file.suffix}"] = np.array(told, float)
    for door, margins in doors.items():
        np.testing.assert_array_equal(np.asarray(margins), one, err_msg=door)


def test_labels_in_the_data_change_no_prediction(model: Path, tmp_path: Path) -> None:
    bare, full = (
        write_csv(tmp_path / "a.csv", unlabelled(USED)),
        write_csv(tmp_path / "b.csv", USED),
    )
    assert run("predict", model, bare).stdout == run("predict", model, full).stdout


def test_a_model_saved_again_means_the_same(model: Path, tmp_path: Path) -> None:
    learner = Learner.load(model)
    learner.save(tmp_path / "again.fenchel")
    again = Learner.load(tmp_path / "again.fenchel")
    assert again.schema == learner.schema
    twins = [again, learner.copy()]
    for row in unlabelled(USED):
        assert len({learner.decision_one(row), *(twin.decision_one(row) for twin in twins)}) == 1


def test_reading_rows_teaches_nothing(model: Path) -> None:
    learner = Learner.load(model)
    before = learner.copy()
    learner.predict_one({"site": "never seen", "new": 7.0, "word": "x"})
    with pytest.warns(OtherColumnsWarning, match="there is no column ad, "):
        learner.predict_many(pd.DataFrame({"other": ["p", "q"]}))
    assert learner.schema == before.schema
    assert learner.columns == before.columns
    assert list(learner.names or []) == list(before.names or [])


def test_every_door_learns_the_same(tmp_path: Path) -> None:
    rows = raw_rows(60, 3)
    schema = Schema(label="y", text=["body"], categorical=["flag"], cross=["site,ad"])
    learned = [learners.vovk_azoury_warmuth(schema=schema, diagonal=True) for _ in range(4)]
    for row in rows:
        learned[0].learn_one({k: v for k, v in row.items() if k != "y"}, row["y"])
    learned[1].learn_many(rows)
    for block in learned[2].open(write_csv(tmp_path / "a.csv", rows)):
        learned[2].learn_block(block)
    for block in learned[3].open(write_jsonl(tmp_path / "a.jsonl", rows)):
        learned[3].learn_block(block)
    expected = learned[0].weights()
    for other in learned[1:]:
        assert other.weights() == pytest.approx(expected, rel=1e-12)


def test_an_estimator_of_a_frame_is_used_on_files(tmp_path: Path) -> None:
    frame = pd.DataFrame(TRAINED)
    model = OnlineRegressor(schema=Schema(text=["body"])).fit(frame.drop(columns="y"), frame["y"])
    model.save(tmp_path / "m.fenchel")
    rows = unlabelled(USED)
    told = run(
        "predict", tmp_path / "m.fenchel", write_csv(tmp_path / "p.csv", rows)
    ).stdout.split()
    np.testing.assert_array_equal(np.array(told, float), model.predict(pd.DataFrame(rows)))
    again = OnlineRegressor.load(tmp_path / "m.fenchel")
    np.testing.assert_array_equal(
        again.predict(pd.DataFrame(rows)), model.predict(pd.DataFrame(rows))
    )


def test_a_frame_of_numbers_keeps_its_names(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.normal(size=(50, 3)), columns=["a", "b", "c"])
    model = OnlineRegressor("vovk_azoury_warmuth").fit(frame, frame["a"] - frame["c"])
    rows = frame.to_dict("records")
    expected = model.predict(frame)
    np.testing.assert_array_equal([model.learner_.decision_one(row) for row in rows], expected)
    assert list(model.learner_.weights()) == ["a", "b", "c"]


def test_a_row_that_was_only_predicted_or_refused_teaches_nothing() -> None:
    learner = learners.perceptron()
    learner.learn_one({"a": 1.0}, True)
    learner.learn_one({"a": 1.0}, False)
    learner.predict_one({"city": "Ghent", "tags": ["x"]})
    learner.learn_one({"b": 2.0}, True)  # a new name, read by compiled code
    with pytest.raises(ValueError, match="third class"):
        learner.learn_one({"city": "Ghent"}, "third")
    learner.learn_one({"c": 2.0}, True)
    assert learner.schema.is_empty


def test_a_table_that_was_refused_teaches_nothing() -> None:
    learner = learners.perceptron()
    learner.learn_many([{"a": 1.0}, {"a": 2.0}], [True, False])
    before = learner.schema.copy()
    with pytest.raises(ValueError, match="third class"):
        learner.learn_many([{"tags": ["x", "y"], "n": 1.0}], ["third"])
    assert learner.schema == before
    assert learner.schema.is_plain
    assert list(learner.weights()) == ["a"]


def test_weights_of_rows_in_a_frame_of_words() -> None:
    frame = pd.DataFrame({"site": ["a", "b", "a"], "n": [1.0, None, 2.0]})
    y, weights = [1.0, 2.0, 3.0], [2.0, 1.0, 0.5]
    model = OnlineRegressor("lms").fit(frame, y, sample_weight=weights)
    twin = OnlineRegressor("lms").fit(frame.to_dict("records"), y, sample_weight=weights)
    assert model.learner_.weights() == twin.learner_.weights()
    assert model.learner_.rounds == 4
