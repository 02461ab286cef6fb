"""A model replaced by an uploaded file, and models made, while the disk is full or the process ends."""

import asyncio
import errno
import json
import shutil
from contextlib import asynccontextmanager

import httpx
import pytest

from fenchel import learners
from fenchel.serve import model as served_model
from fenchel.serve.asgi import App
from fenchel.serve.bearer_tokens import Tokens
from fenchel.serve.gate import Gate
from fenchel.serve.house import House
from fenchel.serve.log import Log
from fenchel.serve.model_folder import ModelFolder
from fenchel.serve.settings import Limits, Settings


@asynccontextmanager
async def served(folder):
    """A client of an application in this process, with one model that has learned four rows."""
    house = House(Settings(folder), lambda *_: learners.arow(), lambda *_, **__: None)
    app = App(house, Gate(Tokens(None)))
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        await client.post("/models/m", json={})
        for k in range(4):
            await client.post("/models/m/learn", json={"x": {"a": 1.0 + k}, "y": k % 2})
        yield client
    await house.close()


def uploaded(tmp_path):
    learner = learners.perceptron()
    learner.learn_one({"z": 1.0}, 1)
    learner.save(tmp_path / "other")
    return (tmp_path / "other").read_bytes()


def full(*_, **__):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("what", ["save", "log"])
def test_an_upload_for_which_there_is_no_room_changes_nothing(tmp_path, monkeypatch, what):
    async def run():
        async with served(tmp_path / "d") as client:
            before = (await client.get("/models/m/file")).content
            if what == "save":
                monkeypatch.setattr(ModelFolder, "save", full)
            else:
                monkeypatch.setattr(served_model, "Log", full)
            refused = await client.put("/models/m/file", content=uploaded(tmp_path))
            monkeypatch.undo()
            assert (refused.status_code, "No space" in refused.json()["error"]) == (507, True)
            assert (await client.get("/models/m/file")).content == before
            told = (await client.post("/models/m/learn", json={"x": {"a": 1}, "y": 1})).json()
            assert told["position"] == 4
            return (await client.get("/models/m/file")).content

    last = asyncio.run(run())
    state, _, _ = ModelFolder(tmp_path / "d" / "m").recover(Limits())
    state.learner.save(tmp_path / "found")
    assert (tmp_path / "found").read_bytes() == last


def test_an_end_at_any_step_of_an_upload_leaves_the_old_model_or_the_new(tmp_path, monkeypatch):
    copies = []

    def noted(call):
        def copied(*given):
            for _ in range(2):
                copies.append(tmp_path / f"copy{len(copies)}")
                shutil.copytree(tmp_path / "d" / "m", copies[-1])
                if len(copies) % 2:
                    result = call(*given)
            return result

        return copied

    async def run():
        async with served(tmp_path / "d") as client:
            monkeypatch.setattr(ModelFolder, "save", noted(ModelFolder.save))
            monkeypatch.setattr(served_model, "Log", noted(Log))
            monkeypatch.setattr(ModelFolder, "delete_before", noted(ModelFolder.delete_before))
            answer = await client.put("/models/m/file", content=uploaded(tmp_path))
            assert answer.status_code == 200
            monkeypatch.undo()

    asyncio.run(run())
    assert len(copies) == 6
    rounds = [ModelFolder(copy).recover(Limits())[0].learner.rounds for copy in copies]
    assert rounds == [4, 1, 1, 1, 1, 1]


def test_a_model_for_which_there_is_no_room_is_refused(tmp_path, monkeypatch):
    async def run():
        async with served(tmp_path / "d") as client:
            monkeypatch.setattr(ModelFolder, "save", full)
            refused = await client.post("/models/other", json={})
            monkeypatch.undo()
            assert refused.status_code == 507, refused.text
            assert json.loads(refused.text)["error"].endswith("No space left on device")
            assert (await client.post("/models/other", json={})).status_code == 201

    asyncio.run(run())
