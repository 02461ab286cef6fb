"""The page to watch, in headless Chromium: it shows what was learned, and recovers with the server."""

import re
from contextlib import closing
from importlib.resources import files

import pytest

from serve.chromium import Browser
from serve.running import running

STATUS = "document.getElementById('status').textContent"
ROUNDS = "Number(document.querySelector('#model-m .facts')?.dataset.rounds || -1)"


@pytest.fixture
def browser(server, tmp_path):
    opened = Browser(tmp_path / "profile", f"{server.url}/", "400,800")
    yield opened
    opened.close()


def learn(client, count, path="/models/m"):
    rows = [{"x": {"a": 1.0, f"w{k % 5}": 0.5}, "y": k % 2} for k in range(count)]
    assert client.post(f"{path}/learn", json={"examples": rows}).status_code == 200


def test_it_shows_what_is_learned(server, client, browser):
    client.post("/models/m", json={"learner": "arow"})
    learn(client, 30)
    client.post("/models/m/ask", json={"id": "open-one", "x": {"a": 1.0}})
    browser.wait(f"{ROUNDS} === 30")
    learn(client, 12)
    browser.wait(f"{ROUNDS} === 42")
    text = browser.value("document.getElementById('model-m').innerText")
    for shown in ("arow", "open-one", "w1", "Largest weights", "Last examples"):
        assert shown in text
    assert browser.value("document.querySelectorAll('#model-m polyline').length") >= 3
    assert browser.value("document.querySelector('#model-m > svg title').textContent") != ""


def test_a_prediction_can_be_tried(client, browser):
    client.post("/models/t", json={"learner": "arow"})
    learn(client, 20, "/models/t")
    browser.wait("[...document.getElementById('which').options].some((o) => o.value === 't')")
    browser.value("document.getElementById('which').value = 't'")
    browser.value("document.querySelector('#try button').click()")
    browser.wait("/^Prediction: [01]/.test(document.getElementById('predicted').textContent)")


def test_it_fits_a_phone_and_loads_nothing_from_elsewhere(client, browser):
    client.post("/models/f", json={"learner": "arow"})
    learn(client, 20, "/models/f")
    browser.wait("document.getElementById('model-f')")
    assert browser.value("document.documentElement.scrollWidth <= innerWidth")
    loaded = browser.value("performance.getEntriesByType('resource').map((e) => e.name)")
    assert all("/events" in name or "/predict" in name for name in loaded)
    page = files("fenchel.serve").joinpath("page.html").read_text()
    assert not re.search(r"(src|href)\s*=|@import|url\(", page)


def test_every_field_has_a_label_and_every_picture_a_title(client, browser):
    browser.wait(f"{STATUS}.startsWith('Live')")
    assert browser.value(
        "[...document.querySelectorAll('input, select, textarea')].every((e) => e.labels.length)"
    )
    assert browser.value(
        "[...document.querySelectorAll('svg[role=img]')].every((e) => e.querySelector('title'))"
    )
    assert browser.value("document.documentElement.lang") == "en"


def test_it_recovers_when_the_server_restarts(tmp_path):
    with running(tmp_path / "d") as first:
        port = first.url.rpartition(":")[2]
        with first.client() as client:
            client.post("/models/m", json={"learner": "arow"})
            learn(client, 10)
        with closing(Browser(tmp_path / "profile", f"{first.url}/")) as browser:
            browser.wait(f"{ROUNDS} === 10")
            assert first.stop() == 0
            browser.wait(f"{STATUS}.startsWith('Not connected')")
            with running(tmp_path / "d", "--port", port) as again, again.client() as client:
                learn(client, 5)
                browser.wait(f"{ROUNDS} === 15")
                assert browser.value(STATUS).startswith("Live")
