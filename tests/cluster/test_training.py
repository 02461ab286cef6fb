"""Shards learned apart and merged: nothing depends on who learned what, or when."""

import io
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool

import numpy as np
import pytest

from fenchel import Schema, cluster, learners
from fenchel.cluster.checkpoints import Checkpoints
from fenchel.cluster.cutting import SMALLEST
from fenchel.cluster.files import state_of
from fenchel.cluster.over_executor import OverExecutor
from fenchel.cluster.training import prepared
from fenchel.learners import from_specification, lms
from fenchel.streams import BadInput

EXACT = "vovk_azoury_warmuth"


def lines(count, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(count, 4)).round(3)
    y = (X @ [1.0, -2.0, 0.5, 0.0] + 0.1 * rng.normal(size=count)).round(3)
    entries = [" ".join(f"{j + 1}:{v}" for j, v in enumerate(row)) for row in X]
    return [f"{label} {entry}\n" for label, entry in zip(y, entries, strict=True)]


@pytest.fixture
def files(tmp_path):
    for k in range(11):
        (tmp_path / f"part-{k:02}.svm").write_text("".join(lines(40, k)))
    return tmp_path


def one_machine(files, specification=EXACT):
    one = from_specification(specification)
    for file in sorted(files.glob("part-*.svm")):
        for block in one.open(str(file)):
            one.learn_block(block)
    return one


def bits(learner):
    return {name: array.tobytes() for name, array in learner.state_arrays().items()}


def test_files_learned_apart_are_one_machine(files):
    with ThreadPoolExecutor(2) as executor:
        learner = cluster.train(str(files / "part-*.svm"), EXACT, executor)
    assert learner.rounds == 440
    np.testing.assert_allclose(learner.weights(), one_machine(files).weights(), atol=1e-9)


class Backwards:
    """An executor whose results come in another order than they were asked for."""

    def submit(self, function, *arguments):
        future = Future()
        future.set_result(function(*arguments))
        return future


@pytest.mark.parametrize("rounds", [1, 3])
def test_bits_do_not_depend_on_who_learned_what_when(files, rounds):
    found = []
    for executor in (ThreadPoolExecutor(1), ThreadPoolExecutor(4), Backwards()):
        learner = cluster.train(str(files / "part-*.svm"), "lms", executor, rounds=rounds)
        found.append(bits(learner))
    assert found[0] == found[1] == found[2]


def test_a_large_file_is_cut_at_line_ends(tmp_path, monkeypatch):
    monkeypatch.setattr("fenchel.cluster.cutting.SMALLEST", 1000)
    file = tmp_path / "part-0.svm"
    file.write_text("".join(lines(300)))
    cut = cluster.shards(str(file), 7)
    assert len(cut) == 7
    assert [shard.end for shard in cut[:-1]] == [shard.begin for shard in cut[1:]]
    with ThreadPoolExecutor(2) as executor:
        learner = cluster.train(cut, EXACT, executor)
    np.testing.assert_allclose(learner.weights(), one_machine(tmp_path).weights(), atol=1e-9)


def test_small_files_stay_whole(files):
    assert SMALLEST > 1000
    assert all(shard.end is None for shard in cluster.shards(str(files / "*.svm"), 100))


def test_a_bad_line_is_named_as_on_one_machine(tmp_path, monkeypatch):
    monkeypatch.setattr("fenchel.cluster.cutting.SMALLEST", 1000)
    text = lines(200)
    text[149] = "1 2:x\n"
    file = tmp_path / "part-0.svm"
    file.write_text("".join(text))
    with ThreadPoolExecutor(2) as executor:
        with pytest.raises(BadInput, match=r"part-0.svm:150:5: the value is not a number"):
            cluster.train(str(file), EXACT, executor, workers=4)
        found = []
        cut = cluster.shards(str(file), 4)
        learner = cluster.train(cut, EXACT, executor, on_error="skip", tell=found.append)
    assert learner.rounds == 199
    assert found[-1].tally.skipped == 1
    assert found[-1].tally.errors[0].line == 150


class DiesOnce:
    """Runs what it is given; the first few futures are those of a pool that lost a process."""

    def __init__(self, deaths):
        self.deaths, self.renewed = deaths, 0

    def submit(self, function, *arguments):
        future = Future()
        if self.deaths:
            self.deaths -= 1
            future.set_exception(BrokenProcessPool())
        else:
            future.set_result(function(*arguments))
        return future

    def renew(self):
        self.renewed += 1


def run(files, executor, folder=None):
    cut = cluster.shards(str(files / "part-*.svm"))
    start = prepared(lms(), cut[0], {})
    kept = Checkpoints(folder, cut, start, {})
    return cluster.ShardedRun(cut, start).run(OverExecutor(executor), kept)


def test_a_worker_that_dies_costs_its_shard_alone(files):
    dying = DiesOnce(3)
    assert bits(run(files, dying)) == bits(run(files, DiesOnce(0)))
    assert dying.renewed >= 1


def test_a_shard_that_kills_every_worker_is_named(files):
    with pytest.raises(RuntimeError, match=r"part-00.svm: 5 workers that had this shard"):
        run(files, DiesOnce(10**6))


class Stops(DiesOnce):
    """Works for a few shards, then is out of disk."""

    def submit(self, function, *arguments):
        self.deaths -= 1
        if self.deaths < 0:
            raise OSError("no space left")
        future = Future()
        future.set_result(function(*arguments))
        return future


def test_a_run_goes_on_from_its_checkpoints(files, tmp_path):
    folder = tmp_path / "kept"
    with pytest.raises(OSError, match="no space"):
        run(files, Stops(5), folder)
    kept = len(list(folder.glob("round-0-shard-*.fenchel")))
    rest = Stops(11 - kept)
    assert bits(run(files, rest, folder)) == bits(run(files, DiesOnce(0)))
    assert [file.name for file in folder.glob("*.fenchel")] == ["round-0.fenchel"]
    with pytest.raises(ValueError, match="checkpoints of another run"):
        cluster.train(str(files / "part-*.svm"), EXACT, Backwards(), checkpoint=folder)


def test_the_seconds_of_shards_are_those_of_all_rounds(files):
    def told(rounds):
        found = []
        given = str(files / "*.svm"), "lms", Backwards()
        cluster.train(*given, rounds=rounds, checkpoint=files / "kept", tell=found.append)
        return found[-1]

    first = told(1).costs
    assert len(first) == 11
    more = told(3).costs
    assert all(more[name] > first[name] for name in first)
    assert told(3).costs == more


@pytest.fixture
def kept(files):
    """Trains with checkpoints in one folder, after a first run there."""

    def train(learner=EXACT, **reading):
        folder, shards = files / "kept", str(files / "*.svm")
        return cluster.train(shards, learner, Backwards(), checkpoint=folder, **reading)

    assert bits(train()) == bits(train())
    return train


def test_checkpoints_of_files_that_changed_are_refused(files, kept):
    (files / "part-00.svm").write_text("".join(lines(40, seed=99)))
    with pytest.raises(ValueError, match="checkpoints of another run"):
        kept()


def test_checkpoints_of_another_reading_are_refused(kept):
    with pytest.raises(ValueError, match="checkpoints of another run"):
        kept(on_error="skip")
    with pytest.raises(ValueError, match="checkpoints of another run"):
        kept(learners.vovk_azoury_warmuth(schema=Schema(index_base=0)))


def test_checkpoints_of_another_start_are_refused(files):
    starts = [from_specification(EXACT) for _ in range(2)]
    for k, start in enumerate(starts):
        start.learn_many(np.eye(4) + k, np.ones(4))
    given = str(files / "*.svm"), starts[0], Backwards()
    cluster.train(*given, checkpoint=files / "begun")
    with pytest.raises(ValueError, match="checkpoints of another run"):
        cluster.train(given[0], starts[1], Backwards(), checkpoint=files / "begun")


def test_a_remote_file_that_changed_is_told_by_its_ends():
    fsspec = pytest.importorskip("fsspec", reason="an extra: fenchel[dask]")
    path, found = "memory://states/part.svm", []
    for last in ("1", "1", "2"):
        with fsspec.open(path, "w") as file:
            file.write(f"1 1:{last}\n")
        found.append(state_of(path))
    assert found[0] == found[1] != found[2]


def test_classes_are_coded_alike_in_every_shard(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n" + "1,spam\n-1,ham\n2,spam\n" * 5)
    (tmp_path / "b.csv").write_text("x,y\n" + "-1,ham\n1,spam\n-2,ham\n" * 5)
    learner = cluster.train([tmp_path / "a.csv", tmp_path / "b.csv"], "arow", Backwards())
    assert learner.predict_one({"x": "1"}) == "spam"


def test_row_groups_are_shards(tmp_path):
    pyarrow = pytest.importorskip("pyarrow", reason="an extra")
    from pyarrow import parquet

    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    table = pyarrow.table({"a": X[:, 0], "b": X[:, 1], "y": X @ [1.0, 3.0]})
    parquet.write_table(table, tmp_path / "t.parquet", row_group_size=50)
    cut = [cluster.Shard(str(tmp_path / "t.parquet"), groups=(2 * k, 2 * k + 1)) for k in range(2)]
    learner = cluster.train(cut, EXACT, Backwards())
    assert learner.rounds == 200
    assert learner.weights() == pytest.approx({"a": 1.0, "b": 3.0}, abs=0.1)


def test_files_of_a_protocol_are_read_by_fsspec(monkeypatch):
    fsspec = pytest.importorskip("fsspec", reason="an extra: fenchel[dask]")
    monkeypatch.setattr("fenchel.cluster.cutting.SMALLEST", 1000)
    text = lines(300)
    for k in range(2):
        with fsspec.open(f"memory://shards/part-{k}.svm", "w") as file:
            file.write("".join(text[150 * k : 150 * k + 150]))
    cut = cluster.shards("memory://shards/part-*.svm", 6)
    assert len(cut) >= 6
    learner = cluster.train(cut, EXACT, Backwards())
    direct = from_specification(EXACT)
    for block in direct.open(io.BytesIO("".join(text).encode()), format="svmlight"):
        direct.learn_block(block)
    np.testing.assert_allclose(learner.weights(), direct.weights(), atol=1e-9)
    with pytest.raises(BadInput, match="there is no such file"):
        cluster.shards("memory://shards/other-*.svm")
    with pytest.raises(BadInput, match="no files have such an address"):
        cluster.shards("nowhere://shards")


CENTRE = [3.0, -2.0]


def in_circle(count):
    """Points around a centre far from 0, and whether they are near it: no line in the columns."""
    X = np.random.default_rng(5).normal(size=(count, 2)) + CENTRE
    return X, np.where(((X - CENTRE) ** 2).sum(axis=1) < 1.4, 1, -1)


def write_circle(folder, X, y, form="svm"):
    """Write the points to four files."""
    for k, some in enumerate(np.array_split(np.arange(len(y)), 4)):
        if form == "svm":
            lines = [f"{y[i]} 1:{X[i, 0]} 2:{X[i, 1]}" for i in some]
        else:
            lines = ["y,a,b", *(f"{y[i]},{X[i, 0]},{X[i, 1]}" for i in some)]
        (folder / f"part-{k}.{form}").write_text("\n".join([*lines, ""]))


@pytest.mark.parametrize("form", ["svm", "csv"])
def test_products_are_merged(tmp_path, form):
    X, y = in_circle(2400)
    write_circle(tmp_path, X[:2000], y[:2000], form)
    start = learners.auto(schema=Schema(label="y")) if form == "csv" else learners.auto()
    with ThreadPoolExecutor(1) as executor:
        found = cluster.train(str(tmp_path / f"part-*.{form}"), start, executor, rounds=2)
    given = X[2000:] if form == "svm" else [{"a": a, "b": b} for a, b in X[2000:].tolist()]
    assert np.mean(np.asarray(found.predict_many(given)).astype(float) != y[2000:]) < 0.06


def test_products_are_settled_by_the_first_shard_with_rows(tmp_path):
    X, y = in_circle(1200)
    write_circle(tmp_path, X[:800], y[:800])
    (tmp_path / "empty.svm").write_text("")
    found = cluster.train(str(tmp_path / "*.svm"), "auto", Backwards())
    assert np.mean(np.asarray(found.predict_many(X[800:])).astype(float) != y[800:]) < 0.1


def test_shards_without_rows_leave_a_learner_that_knows_nothing(tmp_path):
    for k in range(2):
        (tmp_path / f"part-{k}.svm").write_text("")
    assert cluster.train(str(tmp_path / "*.svm"), "auto", Backwards()).rounds == 0


def test_a_merged_model_chooses_by_what_it_has_learned_itself(tmp_path):
    """A shard of 100 noisy rows has not learned the hills, all 30 have."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.0, 1.0, (5000, 2)).round(6)
    hills = np.sin(2.5 * X[:, 0]) * np.cos(2.5 * X[:, 1])
    y = (hills + rng.normal(size=5000)).round(6)
    for k in range(30):
        rows = slice(100 * k, 100 * k + 100)
        text = [f"{t} 1:{a} 2:{b}\n" for t, (a, b) in zip(y[rows], X[rows], strict=True)]
        (tmp_path / f"part-{k:02}.svm").write_text("".join(text))
    one = learners.auto("regression")
    one.learn_many(X[:3000], y[:3000])
    with ThreadPoolExecutor(1) as executor:
        many = cluster.train(str(tmp_path / "part-*.svm"), learners.auto("regression"), executor)
    lost = [np.mean((m.freeze().predict_many(X[3000:]) - hills[3000:]) ** 2) for m in (one, many)]
    assert lost[1] <= 1.1 * lost[0]


@pytest.mark.parametrize("rows", [3, {"x": 1.0}, [{"x": 1.0}], [3], np.eye(2)])
def test_what_is_no_shard_is_refused(rows):
    with pytest.raises(TypeError, match=r"is no shard: give paths, .*Partition\(\"name\", rows\)"):
        cluster.train(rows, "arow", Backwards())


def test_frames_are_shards_by_name(tmp_path):
    pandas = pytest.importorskip("pandas", reason="an extra")
    frame = pandas.DataFrame({"x": [1.0, -1.0], "y": ["spam", "ham"]})
    for given in (frame, [frame]):
        with pytest.raises(TypeError, match="a DataFrame is no shard"):
            cluster.train(given, "arow", Backwards())
    start = learners.arow(schema=Schema(label="y"))
    assert cluster.train([cluster.Partition("mine", frame)], start, Backwards()).rounds == 2


@pytest.mark.parametrize("executor", [3, "threads", ThreadPoolExecutor])
def test_what_cannot_work_is_no_executor(files, executor):
    with pytest.raises(
        TypeError, match=r"has no submit: give a distributed.Client or a concurrent"
    ):
        cluster.train(str(files / "*.svm"), "arow", executor)


@pytest.mark.parametrize("workers", [0, -1, 1.5, True, "two"])
@pytest.mark.parametrize("executor", [None, Backwards()])
def test_workers_are_counted_from_one(files, executor, workers):
    with pytest.raises(ValueError, match=r"workers=.* must be a whole number, 1 or more"):
        cluster.train(str(files / "*.svm"), "arow", executor, workers=workers)
