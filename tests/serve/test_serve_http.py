"""The HTTP interface: models, the four verbs, files, refusals."""

import json

import httpx
import pytest

X = {"free": 1.0, "money": 2.0, "colour": "red"}


def test_a_model_is_made_listed_described_and_deleted(client):
    made = client.post("/models/a-1", json={"learner": "perceptron", "task": "binary"})
    assert (made.status_code, made.json()["learner"]) == (201, "perceptron")
    assert "a-1" in [one["name"] for one in client.get("/models").json()["models"]]
    assert client.get("/models/a-1").json()["rounds"] == 0
    assert client.delete("/models/a-1").status_code == 204
    assert client.get("/models/a-1").status_code == 404


def test_learn_answers_with_the_prediction_before_and_its_place(client, model):
    first = client.post(f"{model}/learn", json={"x": X, "y": True}).json()
    second = client.post(f"{model}/learn", json={"x": X, "y": True, "weight": 2.0}).json()
    assert first == {"prediction": False, "position": 0}
    assert second == {"prediction": True, "position": 1}


def test_a_repeated_identifier_changes_nothing(client, model):
    answers = [client.post(f"{model}/learn", json={"x": X, "y": True, "id": "a"}) for _ in "123"]
    assert [one.json().get("repeated", False) for one in answers] == [False, True, True]
    assert len({one.json()["prediction"] for one in answers}) == 1
    assert client.get(model).json()["rounds"] == 1


def test_a_question_is_answered_later(client, model):
    asked = client.post(f"{model}/ask", json={"x": X, "id": "q"}).json()
    assert asked["id"] == "q"
    assert client.get(model).json()["questions"] == 1
    for _ in range(2):
        assert client.post(f"{model}/answer", json={"id": "q", "y": True}).status_code == 200
    facts = client.get(model).json()
    assert (facts["questions"], facts["rounds"]) == (0, 1)
    assert client.post(f"{model}/predict", json={"x": X}).json()["prediction"] is True


def test_a_question_without_an_identifier_gets_one(client, model):
    identifier = client.post(f"{model}/ask", json={"x": X}).json()["id"]
    assert client.post(f"{model}/answer", json={"id": identifier, "y": False}).status_code == 200


def test_the_label_of_an_open_question_is_not_learned_beside_it(client, model):
    client.post(f"{model}/ask", json={"x": X, "id": "q"})
    assert client.post(f"{model}/learn", json={"x": X, "y": True, "id": "q"}).status_code == 409
    assert client.post(f"{model}/answer", json={"id": "other", "y": True}).status_code == 404


def test_a_list_is_learned_in_its_order(client, model):
    body = {"examples": [{"x": X, "y": True}, {"x": {"x": 1}, "y": False}, {"x": X, "y": "third"}]}
    results = client.post(f"{model}/learn", json=body).json()["results"]
    assert [one.get("position") for one in results] == [0, 1, None]
    assert "third class" in results[2]["error"]


def test_a_stream_of_lines_has_an_answer_for_each(client, model):
    lines = [json.dumps({"x": {f"w{k % 7}": 1.0}, "y": k % 2 == 0}) for k in range(3000)]
    lines[5] = "no JSON"
    headers = {"content-type": "application/x-ndjson"}
    answer = client.post(f"{model}/learn", content="\n".join(lines), headers=headers)
    told = [json.loads(line) for line in answer.text.splitlines()]
    assert len(told) == 3000
    assert [k for k, one in enumerate(told) if "error" in one] == [5]
    assert client.get(model).json()["rounds"] == 2999


def test_numbers_are_predicted_one_and_many_with_their_intervals(client):
    rows = [{"x": {"a": float(k), "b": 1.0}, "y": 2.0 * k} for k in range(20)]
    for learner, has in (
        ("vovk_azoury_warmuth", False),
        ("interval:learner=vovk_azoury_warmuth", True),
    ):
        path = f"/models/{learner.partition(':')[0]}"
        created = client.post(path, json={"learner": learner, "task": "regression"})
        assert created.status_code == 201, created.text
        client.post(f"{path}/learn", json={"examples": rows})
        one = client.post(f"{path}/predict", json={"x": rows[7]["x"]}).json()
        asked = {"examples": [{"x": row["x"]} for row in rows]}
        many = client.post(f"{path}/predict", json=asked).json()["results"]
        assert (many[7], "interval" in one) == (one, has)


def test_a_list_has_the_probabilities_of_its_rows(client, model):
    rows = [{"x": {f"w{k % 7}": 1.0, "b": k / 9}, "y": k % 2} for k in range(30)]
    client.post(f"{model}/learn", json={"examples": rows})
    asked = [{"x": row["x"], "id": str(k)} for k, row in enumerate(rows)] + [{"x": {"new": 1}}]
    many = client.post(f"{model}/predict", json={"examples": asked}).json()["results"]
    assert many == [client.post(f"{model}/predict", json=one).json() for one in asked]
    assert set(many[0]) == {"prediction", "proba", "id"}


def test_probabilities_come_where_the_learner_has_them(client):
    client.post("/models/p", json={"learner": "coin_betting:loss=logistic", "task": "binary"})
    client.post("/models/p/learn", json={"x": X, "y": "spam"})
    client.post("/models/p/learn", json={"x": {"hello": 1}, "y": "ham"})
    proba = client.post("/models/p/predict", json={"x": X}).json()["proba"]
    assert sum(proba.values()) == pytest.approx(1.0)
    assert proba["spam"] > 0.5


def test_a_file_goes_out_and_comes_back(client, model, tmp_path):
    from fenchel import Learner

    client.post(f"{model}/learn", json={"x": X, "y": True})
    file = client.get(f"{model}/file").content
    (tmp_path / "m").write_bytes(file)
    assert Learner.load(tmp_path / "m").rounds == 1
    assert client.put("/models/copy", content=file).status_code == 405
    assert client.put("/models/copy/file", content=file).json()["rounds"] == 1
    assert client.get("/models/copy/file").content == file
    weights = [client.get(f"/models/{name}/weights").json() for name in ("copy", model[8:])]
    assert weights[0] == weights[1] != {}
    client.post("/models/copy/learn", json={"x": X, "y": False})
    assert client.put("/models/copy/file", content=file).json()["rounds"] == 1
    assert client.put("/models/copy/file", content=file[:-1]).status_code == 422


@pytest.mark.parametrize(
    ("status", "path", "body"),
    [
        (400, "learn", b"{"),
        (422, "learn", b'{"x": {"a": 1e999}, "y": 1}'),
        (422, "learn", b'{"x": {"a": 1}}'),
        (422, "learn", b'{"x": 1, "y": 1}'),
        (422, "learn", b'{"x": {"a": 1}, "y": 1, "what": 2}'),
        (422, "learn", b'{"x": {"a": 1}, "y": 1, "weight": -1}'),
        (422, "learn", b'{"x": {"a": 1}, "y": 1, "id": ""}'),
        (422, "learn", b'{"x": {"a": 1%s}, "y": 1}' % (b"0" * 400)),
        (422, "learn", b'{"x": {"a": 1}, "y": [1]}'),
        (422, "learn", b'{"x": [1, 2], "y": 1}'),
        (400, "learn", b'{"x": ' + b'{"a":' * 20000 + b"1" + b"}" * 20001 + b"}"),
        (422, "predict", b'{"x": {"a": 1}, "y": 1}'),
        (400, "predict", b'\xff{"x": {}}'),
        (422, "answer", b'{"id": "a"}'),
        (413, "learn", b" " * (17 << 20)),
    ],
    ids=range(15),
)
def test_bad_bodies_are_refused_in_one_line(client, model, status, path, body):
    client.post(f"{model}/learn", json={"x": {"a": 1, "b": 2}, "y": True})
    client.post(f"{model}/learn", json={"x": {"a": 1, "b": 3}, "y": False})
    answer = client.post(f"{model}/{path}", content=body)
    assert answer.status_code == status, answer.text
    assert len(answer.json()["error"].splitlines()) == 1
    assert client.get(model).json()["rounds"] == 2


@pytest.mark.parametrize("name", ["..", ".hidden", "a%2Fb", "x" * 65, "%00", "ä"])
def test_names_that_are_paths_never_reach_the_files(client, name):
    answer = client.post(f"/models/{name}", json={"learner": "perceptron"})
    assert answer.status_code in (404, 405, 422)


def test_wishes_that_cannot_be_met(client):
    for wish in (
        {"learner": "nobody"},
        {"task": "ranking"},
        {"learner": "arow:r=-1"},
        {"bits": 99},
    ):
        assert client.post("/models/wish", json=wish).status_code == 422
    assert client.post("/models/wish", content=b"{").status_code == 400
    assert client.get("/models/wish").status_code == 404


def test_health_metrics_and_the_document(client, model):
    client.post(f"{model}/learn", json={"x": X, "y": True})
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ready"}
    metrics = client.get("/metrics").text
    assert f'fenchel_rows_total{{model="{model[8:]}",verb="learn"}} 1.0' in metrics
    assert f'fenchel_loss{{model="{model[8:]}"}} 1.0' in metrics
    assert "/models/{name}/learn" in client.get("/openapi.json").json()["paths"]


def test_other_sites_are_kept_out_where_there_are_no_tokens(server):
    for headers in ({"origin": "http://evil.example"}, {"host": "evil.example"}):
        assert httpx.get(f"{server.url}/models", headers=headers).status_code == 403
        assert httpx.post(f"{server.url}/models/x/learn", headers=headers).status_code == 403
