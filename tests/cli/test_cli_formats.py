"""The same data in any format gives the same model."""

import json
from datetime import datetime, timedelta

import numpy as np
import pytest
from cli_helpers import run, write_lines

from fenchel import Learner, models

COLUMNS = ("age", "height", "income")


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(3)
    X = random.normal(size=(40, 3)).round(4)
    X[X == 0.0] = 1.0
    return [(int(np.sign(x[0] + x[1])), x.tolist()) for x in X]


def _files(folder, rows):
    yield write_lines(
        folder / "d.svm",
        [f"{y} " + " ".join(f"{k}:{v}" for k, v in enumerate(x, 1)) for y, x in rows],
    )
    yield write_lines(
        folder / "d.vw",
        [f"{y} | " + " ".join(map("{}:{}".format, COLUMNS, x)) for y, x in rows],
    )
    lines = [f"{y}," + ",".join(map(str, x)) for y, x in rows]
    yield write_lines(folder / "d.csv", ["label," + ",".join(COLUMNS), *lines])
    yield write_lines(
        folder / "d.jsonl",
        [json.dumps({"label": y, **dict(zip(COLUMNS, x, strict=True))}) for y, x in rows],
    )


def test_every_format_gives_the_same_bits(tmp_path, rows) -> None:
    pytest.importorskip("pyarrow")
    import pyarrow as pa
    from pyarrow import parquet

    table = {"label": [float(y) for y, _ in rows]}
    for k, name in enumerate(COLUMNS):
        table[name] = [x[k] for _, x in rows]
    parquet.write_table(pa.table(table), tmp_path / "d.parquet")
    found = []
    for file in (*_files(tmp_path, rows), tmp_path / "d.parquet"):
        label = ["--label", "label"] if file.suffix in (".csv", ".parquet", ".jsonl") else []
        run("train", file, *label, "--learner", "arow", "--save", tmp_path / "m", "--quiet")
        weights = Learner.load(tmp_path / "m").weights()
        found.append(tuple(weights.values() if isinstance(weights, dict) else weights.tolist()))
    assert len(set(found)) == 1


@pytest.mark.parametrize(
    ("option", "rounds", "names"), [("--no-header", 3, {"1", "2=a"}), ("--header", 2, {"7", "a"})]
)
def test_the_first_line_is_what_it_is_said_to_be(tmp_path, option, rounds, names) -> None:
    lines = ["7,a,1", "8,2,0", "9,2,1"] if option == "--header" else ["7,a,1", "8,a,0", "9,a,1"]
    data = write_lines(tmp_path / "d.csv", lines)
    options = ("--learner", "perceptron", "--quiet", "--save", tmp_path / "m")
    run("train", data, option, *options)
    learner = Learner.load(tmp_path / "m")
    assert (learner.rounds, set(learner.weights())) == (rounds, names)
    assert len(run("predict", tmp_path / "m", data, option).stdout.splitlines()) == rounds


def test_what_is_said_now_counts_beside_what_the_model_remembers(tmp_path) -> None:
    words = write_lines(tmp_path / "words.csv", ["job,y", "x,0", "z,1"])
    run("train", words, "--learner", "perceptron", "--quiet", "--save", tmp_path / "m")
    codes = write_lines(tmp_path / "codes.csv", ["job,code", "x,7", "x,k"])
    assert "--categorical" in run("predict", tmp_path / "m", codes, status=1).stderr
    said = run("predict", tmp_path / "m", codes, "--categorical", "code").stdout
    assert said.splitlines() == ["0", "0"]


CODES = ["code,y", "A1,no", "B2,yes", "17,yes", "A1,no", "42,no", "17,yes", "B2,yes", "17,yes"]


@pytest.mark.parametrize("cut", range(2, 9))
def test_columns_are_what_they_were_when_the_model_was_trained(tmp_path, cut) -> None:
    options = ("--learner", "perceptron", "--quiet", "--save")
    run("train", write_lines(tmp_path / "all.csv", CODES), *options, tmp_path / "all")
    first = write_lines(tmp_path / "first.csv", CODES[:cut])
    rest = write_lines(tmp_path / "rest.csv", CODES[:1] + CODES[cut:])
    run("train", first, *options, tmp_path / "part")
    if cut < len(CODES):
        run("train", rest, "--resume", tmp_path / "part", "--quiet", "--save", tmp_path / "part")
    assert (tmp_path / "part").read_bytes() == (tmp_path / "all").read_bytes()


def test_a_code_means_the_same_in_every_file_to_predict(tmp_path) -> None:
    data = write_lines(tmp_path / "all.csv", CODES)
    run("train", data, "--learner", "perceptron", "--quiet", "--save", tmp_path / "m")
    told = []
    for lines in (["code", "17"], ["code", "17", "A1"], ["code", "A1", "17"]):
        some = write_lines(tmp_path / "some.csv", lines)
        told.append(sorted(run("predict", tmp_path / "m", some).stdout.split()))
    assert told == [["yes"], ["no", "yes"], ["no", "yes"]]
    numbers = write_lines(tmp_path / "n.csv", ["x,y", "1,0", "-1,1"])
    run("train", numbers, "--learner", "perceptron", "--quiet", "--save", tmp_path / "n")
    words = write_lines(tmp_path / "w.csv", ["x", "a"])
    assert "text in a column of numbers" in run("predict", tmp_path / "n", words, status=1).stderr


@pytest.mark.parametrize("label", ["1", "2", "3"])
def test_without_a_header_and_without_the_label_columns_keep_their_numbers(tmp_path, label) -> None:
    rows = [["1", "-1", "1"], ["-1", "1", "-1"], ["1", "1", "-1"], ["-1", "-1", "1"]]
    data = write_lines(tmp_path / "d.csv", [",".join(row) for row in rows * 3])
    options = ("--label", label, "--learner", "perceptron", "--quiet")
    run("train", data, *options, "--save", tmp_path / "m")
    for row in rows:
        del row[int(label) - 1]
    fewer = write_lines(tmp_path / "f.csv", [",".join(row) for row in rows * 3])
    assert (
        run("predict", tmp_path / "m", fewer).stdout == run("predict", tmp_path / "m", data).stdout
    )
    other = write_lines(tmp_path / "o.csv", ["1"])
    told = run("predict", tmp_path / "m", other, status=1).stderr
    assert "a row of 1, the model knows 3 columns" in told


def test_without_a_header_declared_and_empty_columns_count_too(tmp_path) -> None:
    data = write_lines(tmp_path / "d.tsv", ["ham\t\thello", "spam\t\tfree", "ham\t\tyou"] * 2)
    options = ("--no-header", "--label", "1", "--text", "3", "--learner", "perceptron", "--quiet")
    run("train", data, *options, "--save", tmp_path / "m")
    told = run("predict", tmp_path / "m", data).stdout.split()
    bare = write_lines(tmp_path / "b.tsv", ["\thello", "\tfree", "\tyou"] * 2)
    assert told == run("predict", tmp_path / "m", bare).stdout.split() == ["ham", "spam", "ham"] * 2


def test_columns_that_are_ignored(tmp_path) -> None:
    rows = ["1,7,1.5,no", "2,k,-1.5,yes", "3,1e999,2,no", "4,,-2,yes"]
    data = write_lines(tmp_path / "d.csv", ["id,note,x,y", *rows])
    options = ("--learner", "perceptron", "--quiet", "--save", tmp_path / "m")
    run("train", data, *options, "--ignore", "id", "--ignore", "note")
    assert set(Learner.load(tmp_path / "m").weights()) == {"x"}
    told = run("predict", tmp_path / "m", data)  # the model remembers it
    fewer = write_lines(tmp_path / "f.csv", ["x", *(row.split(",")[2] for row in rows)])
    without = run("predict", tmp_path / "m", fewer)
    assert told.stdout == without.stdout
    assert "there is no column" not in without.stderr
    wrong = run("train", data, *options, "--ignore", "ID", status=1).stderr
    assert "no such column ('ID'); choose from id, note, x, y" in wrong
    label = run("train", data, *options, "--ignore", "y", status=1).stderr
    assert "the label is to be ignored ('y'); name the label's column with --label" in label


@pytest.mark.parametrize("kinds", [["x"], {"x": "colour"}, {"x": ["number"]}, {"x": None}])
def test_a_model_that_tells_kinds_of_columns_that_are_none_is_refused(tmp_path, kinds) -> None:
    data = write_lines(tmp_path / "d.csv", ["x,y", "1,0", "-1,1"])
    run("train", data, "--learner", "perceptron", "--quiet", "--save", tmp_path / "m")
    arrays, metadata = models.read(tmp_path / "m")
    metadata["schema"]["columns"] = kinds
    models.write(tmp_path / "bad", dict(arrays), metadata)
    told = run("predict", tmp_path / "bad", data, status=1).stderr
    assert "it cannot be loaded as it is" in told
    assert told.count("\n") == 1


def test_the_categories_are_told(tmp_path) -> None:
    header = [f"c{k}" for k in range(9)]
    rows = [[*"abcdefgh", "1"], [*"bcdefghi", "0"]]
    data = write_lines(tmp_path / "d.csv", [",".join(line) for line in [header, *rows]])
    told = run("train", data, "--learner", "perceptron").stderr
    assert "categories     c0, c1, c2, c3, c4, c5 and 2 more\n" in told


@pytest.mark.parametrize("command", ["train", "compare"])
def test_columns_that_are_no_categories_are_advised_on(tmp_path, command):
    data = tmp_path / "days.csv"
    days = [
        f"2024-{1 + k // 28:02}-{1 + k % 28:02},order {k},this is word {k},{'yes' if k % 2 else 'no'}"
        for k in range(60)
    ]
    data.write_text("day,order,note,y\n" + "\n".join(days) + "\n")
    said = run(command, data, "--learner", "perceptron").stderr
    assert "categories     day, order, note" in said
    assert "day has dates: --date day learns from their parts" in said
    assert "order has 60 different values in 60 rows: if it names the rows, --ignore order" in said
    assert "note has 60 different values in 60 rows of several words: --text note" in said
    declared = "--date", "day", "--ignore", "order", "--text", "note"
    said = run(command, data, "--learner", "perceptron", *declared).stderr
    assert "--date" not in said
    assert "different values" not in said
    quiet = run(command, data, "--learner", "perceptron", "--quiet").stderr
    assert "day" not in quiet


@pytest.mark.parametrize(
    ("written", "form"), [("%m/%d/%Y", "%m/%d/%Y"), ("%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M")]
)
def test_dates_of_other_forms_are_advised_on_with_their_format(tmp_path, written, form):
    days = [datetime(2024, 1, 1, 9) + timedelta(days=5 * k) for k in range(60)]
    lines = [f"{day.strftime(written)},{'yes' if day.month < 7 else 'no'}" for day in days]
    data = write_lines(tmp_path / "days.csv", ["day,y", *lines])
    said = run("train", data, "--learner", "perceptron").stderr
    assert f"day has dates: --date 'day:format={form}' learns from their parts" in said
    told = run("train", data, "--learner", "perceptron", "--date", f"day:format={form}").stderr
    assert "dates          day" in told
    assert "different values" not in told
