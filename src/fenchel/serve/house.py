"""All models of a folder: opened together, made, deleted; and the lock that keeps a second server out."""

from __future__ import annotations

import asyncio
import fcntl
import os
import re
import secrets
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from fenchel.learners import Learner
from fenchel.models import ModelRefused
from fenchel.schema import Schema
from fenchel.serve.log import Log, sync_folder
from fenchel.serve.messages import Creation
from fenchel.serve.model import ServedModel
from fenchel.serve.model_folder import ModelFolder
from fenchel.serve.model_state import State
from fenchel.serve.refusals import Refused, in_one_line
from fenchel.serve.settings import Settings

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
TASKS = ("binary", "multiclass", "regression")

T = TypeVar("T")

# Builds the learner of a specification for a task, or raises ValueError.
Build = Callable[[str, str], Learner]


class House:
    """The models of one folder, by name."""

    def __init__(self, settings: Settings, build: Build, tell: Callable[..., None]) -> None:
        self.settings, self.tell, self._build = settings, tell, build
        self.folder = settings.folder
        self.models: dict[str, ServedModel] = {}
        self.threads = ThreadPoolExecutor(8, thread_name_prefix="fenchel-serve")
        self._changing = asyncio.Lock()
        self._lock = locked(self.folder)

    def open_all(self) -> None:
        """Recover every model of the folder; one that cannot be is refused, and so is the start."""
        for path in sorted(self.folder.iterdir()):
            if path.name.startswith(".deleted-"):
                shutil.rmtree(path, ignore_errors=True)
            elif path.is_dir() and NAME.fullmatch(path.name):
                self._open(path)

    def _open(self, path: Path) -> ServedModel:
        folder = ModelFolder(path)
        if not folder.positions("fenchel"):
            raise ModelRefused(f"{path}: holds no model; move it out of the folder that is served")
        state, open_log, told = folder.recover(self.settings.limits)
        for line in told:
            self.tell("recovered", level="warning", why=line)
        model = ServedModel(
            path.name, folder, state, open_log, self.settings.limits, self.settings.snapshots,
            self.threads, self.tell,
        )  # fmt: skip
        self.models[path.name] = model
        replayed = state.position - model.snapshot
        self.tell("opened", model=path.name, position=state.position, replayed=replayed)
        return model

    def get(self, name: str) -> ServedModel:
        """Return the model of a name, or refuse."""
        model = self.models.get(name)
        if model is None:
            raise Refused(404, f"there is no model {name[:64]!r}: POST /models/NAME makes one")
        return model

    async def create(self, name: str, wish: Creation) -> ServedModel:
        """Make a new model."""
        try:
            learner = await self._in_thread(self._made, wish)
        except ValueError as error:
            raise Refused(422, in_one_line(error)) from None
        except MemoryError:
            raise Refused(
                507, "there is not enough memory for this model: take fewer bits"
            ) from None
        return await self._add(name, learner)

    def _made(self, wish: Creation) -> Learner:
        said = {"text": wish.text, "categorical": wish.categorical, "ignore": wish.ignore,
                "cross": wish.cross, "bits": wish.bits}  # fmt: skip
        schema = Schema(**said)  # type: ignore[arg-type]
        learner = self._build(wish.learner, wish.task)
        warm_up(learner)
        learner.schema = schema
        return learner

    async def upload(self, name: str, path: Path) -> ServedModel:
        """Serve the model of a file, in place of one of this name where there is one."""
        try:
            learner = await self._in_thread(Learner.load, path)
            if learner.task not in TASKS:
                raise ModelRefused(f"the task {learner.task} is not served: {', '.join(TASKS)} are")
        except ModelRefused as refusal:
            why = in_one_line(refusal).replace(str(path), "the file")
            raise Refused(422, why) from None
        model = self.models.get(name)
        if model is None:
            return await self._add(name, learner)
        await model.replace(learner)
        return model

    async def _add(self, name: str, learner: Learner) -> ServedModel:
        if not NAME.fullmatch(name):
            shape = "letters, digits, dots, - and _, 64 at most"
            raise Refused(422, f"{name[:80]!r} is no name for a model: use {shape}")
        async with self._changing:
            if name in self.models:
                raise Refused(409, f"there is a model {name!r} already: DELETE it first")
            if len(self.models) >= self.settings.limits.models:
                raise Refused(507, f"{len(self.models)} models are the most: DELETE one first")
            await self._in_thread(self._write_first, name, learner)
            return self._open(self.folder / name)

    def _write_first(self, name: str, learner: Learner) -> None:
        """Make the folder of a new model under another name, and rename it when it is whole."""
        with TemporaryDirectory(prefix=".deleted-", dir=self.folder) as temporary:
            path = Path(temporary) / "model"
            path.mkdir()
            state = State(learner, self.settings.limits)
            ModelFolder(path).save(0, learner, state.to_json())
            Log(ModelFolder(path).file(0, "log")).close()
            os.rename(path, self.folder / name)
        sync_folder(self.folder)

    async def delete(self, name: str) -> None:
        """Delete a model, its snapshots and its log."""
        async with self._changing:
            model = self.get(name)
            await model.writer.close()
            del self.models[name]
            gone = self.folder / f".deleted-{secrets.token_hex(8)}"
            os.rename(model.folder.path, gone)
            sync_folder(self.folder)
            await self._in_thread(shutil.rmtree, gone)

    async def close(self) -> None:
        """Write everything that is queued, save all models, and give the folder free."""
        await asyncio.gather(*(model.close() for model in self.models.values()))
        self.release()

    def release(self) -> None:
        """Give the folder free."""
        self.threads.shutdown(wait=False)
        os.close(self._lock)

    def _in_thread(self, function: Callable[..., T], *given: Any) -> asyncio.Future[T]:
        return asyncio.get_running_loop().run_in_executor(self.threads, function, *given)


def locked(folder: Path) -> int:
    """Lock a folder against a second server; the descriptor holds the lock."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        other = os.read(lock, 20).decode(errors="replace").strip()
        os.close(lock)
        raise ModelRefused(
            f"{folder}: is served already, by process {other or 'unknown'}; stop that one first"
        ) from None
    os.ftruncate(lock, 0)
    os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
    return lock


def warm_up(learner: Learner) -> None:
    """Compile what a learner of this kind needs, on a twin: the first request need not wait for it."""
    twin = learner.fresh()
    for label in (0.0, 1.0, 0.0, 1.0):
        twin.learn_one({"a": label, "b": 2.0}, label)
        twin.predict_one({"a": 1.0})
