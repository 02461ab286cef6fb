"""``--task count``, and importance that must not be negative, on the command line."""

import json

import pytest
from click.testing import CliRunner

from fenchel.cli.app import main

RULE = ["--learner", "gradient_descent:schedule=constant,rule=invariant,eta=0.1"]
FILES = {
    "w.csv": "y,a,h\n1,2,1\n-1,3,-2\n",
    "w.jsonl": '{"y": 1, "a": 2, "h": 1}\n{"y": -1, "a": 3, "h": -2}\n',
    "w.vw": "1 1.0 | a:1\n-1 -2.0 | b:1\n",
}


def test_counts_are_trained_and_predicted_as_means(tmp_path):
    data, model, figures = tmp_path / "c.csv", tmp_path / "m", tmp_path / "f.json"
    data.write_text("a,n\n" + "1,3\n0,1\n2,9\n0,0\n" * 20)
    command = ["train", str(data), "--task", "count", "--label", "n", *RULE, "--json", str(figures)]
    done = CliRunner().invoke(main, [*command, "--save", str(model)])
    assert done.exit_code == 0, done.output
    assert json.loads(figures.read_text())["learners"][0]["metrics"]["poisson"] < 1.5
    told = CliRunner().invoke(main, ["predict", str(model), str(data)]).stdout.split()
    assert 1.5 < float(told[0]) < 6.0 < float(told[2]) < 14.0


def test_a_negative_count_is_refused_by_its_row(tmp_path):
    data = tmp_path / "c.csv"
    data.write_text("a,n\n1,3\n0,-1\n")
    done = CliRunner().invoke(main, ["train", str(data), "--task", "count", "--label", "n", *RULE])
    assert done.exit_code == 1
    assert "row 2: the label -1 is negative" in done.output


def test_counts_have_their_loss(tmp_path):
    done = CliRunner().invoke(main, ["train", "diabetes", "--task", "count", "--loss", "absolute"])
    assert done.exit_code == 2
    assert "--loss poisson" in done.output


@pytest.mark.parametrize("name", FILES)
def test_negative_importance_is_refused_by_its_line(tmp_path, name):
    data = tmp_path / name
    data.write_text(FILES[name])
    columns = [] if name == "w.vw" else ["--label", "y", "--weight", "h"]
    done = CliRunner().invoke(main, ["train", str(data), *columns, "--learner", "perceptron"])
    assert done.exit_code == 1
    assert "the importance is not a number of 0 or more" in done.output
