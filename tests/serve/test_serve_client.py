"""The clients: every call, retries that learn nothing twice, refusals."""

import asyncio

import httpx
import pytest

from fenchel.client import AsyncClient, Client, ServerRefused

X = {"a": 1.0, "b": "red"}


def test_every_call_of_the_client(server, tmp_path):
    with Client(server.url) as client:
        client.create("c", learner="arow", categorical=["hour"])
        assert client.learn("c", X, "yes")["position"] == 0
        assert client.predict("c", X)["prediction"] == "yes"
        asked = client.ask("c", {"hour": 7})
        assert client.answer("c", asked["id"], "no")["id"] == asked["id"]
        told = client.many("c", "learn", [{"x": X, "y": "yes"}, {"x": X, "y": "other"}])
        assert [("error" in one) for one in told] == [False, True]
        client.download("c", tmp_path / "m")
        assert client.upload("d", tmp_path / "m")["rounds"] == client.describe("c")["rounds"] == 3
        assert "hour=7" in client.weights("c", top=9)["weights"]
        assert {"c", "d"} <= {one["name"] for one in client.models()}
        client.delete("d")
        with pytest.raises(ServerRefused, match="there is no model 'd'"):
            client.describe("d")


def test_the_same_from_coroutines(server):
    async def calls():
        async with AsyncClient(server.url) as client:
            await client.create("e", learner="arow")
            rows = [client.learn("e", {"a": float(k)}, k % 2) for k in range(50)]
            places = [answer["position"] for answer in await asyncio.gather(*rows)]
            return places, await client.describe("e")

    places, facts = asyncio.run(calls())
    assert sorted(places) == list(range(50))
    assert facts["rounds"] == 50


class Lossy(httpx.BaseTransport):
    """Loses every other answer, after the server has given it."""

    def __init__(self):
        self.inner, self.count = httpx.HTTPTransport(), 0

    def handle_request(self, request):
        answer = self.inner.handle_request(request)
        answer.read()
        self.count += 1
        if self.count % 2:
            raise httpx.ReadError("lost")
        return answer

    def close(self):
        self.inner.close()


def test_lost_answers_are_asked_for_again_and_nothing_is_learned_twice(server):
    with Client(server.url) as client:
        client.create("lossy", learner="arow")
    with Client(server.url, transport=Lossy()) as client:
        for k in range(6):
            assert client.learn("lossy", {"a": 1.0}, k % 2)["repeated"] is True
        told = client.many("lossy", "learn", [{"x": {"a": 1.0}, "y": 1}] * 3)
        assert [one["repeated"] for one in told] == [True] * 3
    with Client(server.url) as client:
        assert client.describe("lossy")["rounds"] == 9


def test_a_busy_server_is_asked_again_after_the_time_it_names(monkeypatch):
    waited, statuses = [], [429, 503, 200]
    monkeypatch.setattr("time.sleep", waited.append)

    def answer(request):
        status = statuses.pop(0)
        return httpx.Response(status, headers={"retry-after": "2"}, json={"prediction": 1})

    with Client("http://server", transport=httpx.MockTransport(answer)) as client:
        assert client.predict("m", X) == {"prediction": 1}
    assert waited == [2.0, 2.0]
