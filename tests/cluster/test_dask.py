"""Dask's workers learn shards, merge near the data, and spread comparisons and grid searches."""

import json
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV

from fenchel import Learner, Schema, cluster, learners
from fenchel.cluster.contests import compete
from fenchel.cluster.jobs import ShardJob
from fenchel.cluster.over_dask import OverDask
from fenchel.estimators import OnlineClassifier
from fenchel.evaluate import Contest

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))
from cli_helpers import run

distributed = pytest.importorskip("distributed", reason="an extra: fenchel[dask]")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(440, 3)).round(3)
Y = np.where(X @ [1.0, -2.0, 0.5] > 0.0, 1, -1)


@pytest.fixture(scope="module")
def client():
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        distributed.LocalCluster(processes=False, **options) as local,
        distributed.Client(local) as client,
    ):
        yield client


@pytest.fixture
def files(tmp_path):
    for k in range(11):
        rows = [f"{Y[t]} 1:{X[t, 0]} 2:{X[t, 1]} 3:{X[t, 2]}\n" for t in range(k, 440, 11)]
        (tmp_path / f"part-{k:02}.svm").write_text("".join(rows))
    return str(tmp_path / "part-*.svm")


def bits(learner):
    return {name: array.tobytes() for name, array in learner.state_arrays().items()}


def _where(shard, start, reading):
    time.sleep(0.3)
    return [distributed.get_worker().address]


def test_shards_are_spread_evenly_wherever_the_model_lies(client):
    crew = OverDask(client)
    job = ShardJob(
        _where, lambda found, start: [at for one in found for at in one], lambda found: found
    )
    for count in (2, 4, 6):
        shards = [cluster.Shard(f"{k}") for k in range(count)]
        found = crew.fetch(crew.run(job, shards, crew.share("a model"), {}, lambda k, told: None))
        assert sorted(Counter(found).values()) == [count // 2] * 2


def test_merging_near_the_data_gives_the_same_bits(client, files, tmp_path):
    told = []
    near = cluster.train(files, "adagrad:loss=logistic", client, rounds=2, tell=told.append)
    assert told[-1].done == 22
    with ThreadPoolExecutor(2) as executor:
        here = cluster.train(files, "adagrad:loss=logistic", executor, rounds=2)
        smooth = cluster.polish(files, here, executor, iterations=3)
    assert bits(near) == bits(here)
    assert bits(cluster.polish(files, near, client, iterations=3)) == bits(smooth)
    kept = cluster.train(
        files, "adagrad:loss=logistic", client, rounds=2, checkpoint=tmp_path / "k"
    )
    assert bits(kept) == bits(here)


def test_partitions_of_frames_and_bags_are_shards(client):
    dataframe, bag = pytest.importorskip("dask.dataframe"), pytest.importorskip("dask.bag")
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": X @ [1.0, -2.0, 0.5]})
    make = learners.vovk_azoury_warmuth
    direct = make(schema=Schema(label="y"))
    direct.learn_many(frame)
    rows, lines = frame.to_dict("records"), [f"{y} | a:{a} b:{b}" for a, b, y in frame.values]
    for shards, options in (
        (dataframe.from_pandas(frame, npartitions=3), {}),
        (bag.from_sequence(rows, npartitions=3), {}),
        (bag.from_sequence(lines, npartitions=3), {"format": "vw"}),
    ):
        found = cluster.train(shards, make(schema=Schema(label="y")), client, **options)
        assert found.rounds == 440
        assert found.weights() == pytest.approx(direct.weights(), abs=1e-9)


def test_the_command_and_a_scheduler(client, files, tmp_path):
    address = client.scheduler.address
    saved = "--learner", "lms", "--task", "regression", "--save", tmp_path / "m.fenchel"
    run("train", files, "--scheduler", address, *saved, "--quiet")
    here = cluster.train(files, "lms", ThreadPoolExecutor(1))
    assert bits(Learner.load(tmp_path / "m.fenchel")) == bits(here)
    some = files.replace("*", "00"), "--learner", "arow", "--learner", "passive_aggressive"
    found = []
    for spread in (("--scheduler", address), ()):
        run("compare", *some, *spread, "--json", tmp_path / "found.json")
        told = json.loads((tmp_path / "found.json").read_text())["learners"]
        found.append([{k: v for k, v in one.items() if "second" not in k} for one in told])
    assert found[0] == found[1]


def test_a_contest_apart_ends_as_one_here(client, tmp_path):
    file = tmp_path / "all.svm"
    rows = [f"{y} 1:{x[0]} 2:{x[1]} 3:{x[2]}\n" for x, y in zip(X, Y, strict=True)]
    file.write_text("".join(rows))
    apart, here = (
        Contest(
            {"arow": learners.arow(), "pa": learners.passive_aggressive()}, metrics=["log_loss"]
        )
        for _ in range(2)
    )
    compete(apart, str(file), client)
    for block in learners.arow().open(str(file)):
        here.learn(block)
    one, other = apart.result(), here.result()
    assert one.verdicts == other.verdicts
    assert [e.score.metrics for e in one.entrants] == [e.score.metrics for e in other.entrants]


def test_grid_searches_by_joblib(client):
    search = GridSearchCV(OnlineClassifier("arow"), {"learner__r": [0.1, 1.0]}, cv=2)
    with joblib.parallel_config(backend="dask"):
        search.fit(X, Y)
    assert search.best_score_ > 0.9
