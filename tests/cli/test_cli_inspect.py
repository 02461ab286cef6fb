"""``fenchel inspect`` and ``fenchel learners``."""

import json

import pytest
from cli_helpers import run, text_lines, write_lines

from fenchel import Learner
from fenchel.learners import CATALOGUE


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    data = write_lines(folder / "d.vw", text_lines(80, "binary"))
    run("train", data, "--learner", "arow:r=0.5", "--save", folder / "m", "--quiet")
    return folder / "m"


def test_header_and_weights(model) -> None:
    said = run("inspect", model, "--top", "3").stdout
    assert "learner     arow" in said
    assert "r = 0.5" in said
    assert "binary: 2 is −1, 1 is +1" in said or "binary: 1 is −1, 2 is +1" in said
    assert "rounds      80" in said
    weights = Learner.load(model).weights()
    largest = sorted(weights, key=lambda name: -abs(weights[name]))[:3]
    total = sum(map(abs, weights.values()))
    for name in largest:
        share = f"{100 * abs(weights[name]) / total:.3g}%"
        assert any(line.split()[::2] == [name, share] for line in said.splitlines())
    assert max(map(len, said.splitlines())) <= 80


def test_verify_shows_the_digest_and_refuses_damage(model, tmp_path) -> None:
    assert "digest      sound, sha256 " in run("inspect", model, "--verify", "--top", 0).stdout
    content = bytearray(model.read_bytes())
    content[-1] ^= 1
    (tmp_path / "m").write_bytes(content)
    assert "damaged" in run("inspect", tmp_path / "m", "--verify", "--top", 0, status=1).stderr


def test_hashed_names_are_told(tmp_path) -> None:
    data = write_lines(tmp_path / "d.vw", text_lines(80, "binary"))
    run("train", data, "--learner", "arow", "--bits", 5, "--save", tmp_path / "m")
    said = run("inspect", tmp_path / "m").stdout
    assert "32 (hashed, 5 bits)" in said
    assert "w1" in said


def test_several_classes(tmp_path) -> None:
    run("train", "wine", "--shuffle", 1, "--learner", "arow", "--save", tmp_path / "m")
    said = run("inspect", tmp_path / "m").stdout
    assert "learner = arow" in said
    assert "class_1" in said


@pytest.mark.parametrize("data", ["breast_cancer", "diabetes"])
def test_a_mixture_tells_its_shares(tmp_path, data) -> None:
    run("train", data, "--learner", "hedge:experts=normalized_lms+lms" if data == "diabetes"
        else "hedge:experts=perceptron+arow", "--save", tmp_path / "m")  # fmt: skip
    said = run("inspect", tmp_path / "m").stdout
    assert "expert" in said
    assert "%" in said


def test_numbered_features_count_as_the_file_does(tmp_path) -> None:
    data = write_lines(tmp_path / "d.svm", ["1 0:3", "-1 1:1"])
    run("train", data, "--index-base", 0, "--learner", "perceptron", "--save", tmp_path / "m")
    assert any(line.startswith("0 ") for line in run("inspect", tmp_path / "m").stdout.splitlines())


def test_the_catalogue_on_a_page() -> None:
    page = run("learners").stdout
    assert max(map(len, page.splitlines())) <= 80
    for name, entry in CATALOGUE.items():
        assert f"\n{name}: " in f"\n{page}"
        assert " ".join(entry.theorem.split()) in " ".join(page.split())


def test_some_of_the_catalogue() -> None:
    page = run("learners", "arow", "lms").stdout
    assert page.startswith("arow: ")
    assert "\nlms: " in page
    assert "perceptron: " not in page
    assert [entry["name"] for entry in json.loads(run("learners", "lms", "--json").stdout)] == [
        "lms"
    ]
    assert "did you mean arow?" in run("learners", "arrow", status=2).stderr


def test_the_catalogue_as_json(tmp_path) -> None:
    run("learners", "--json", tmp_path / "j")
    found = {entry["name"]: entry for entry in json.loads((tmp_path / "j").read_text())}
    assert found.keys() == CATALOGUE.keys()
    assert found["arow"]["parameters"]["r"] == 1.0
    assert json.loads(run("learners", "--json").stdout)[0].keys() == {
        "name", "summary", "tasks", "parts", "parameters", "equation", "theorem", "cost"
    }  # fmt: skip
