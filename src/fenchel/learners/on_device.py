"""The engine of three parts with a full matrix on a device of PyTorch's, a GPU above all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fenchel.learners import by_blocks
from fenchel.learners.composed import MOST_FULL, Composed, Parts
from fenchel.learners.device_matrix import DeviceMatrix
from fenchel.learners.engine import Engine, refuse_unsound
from fenchel.loops import blocks
from fenchel.loops.online import UPDATES
from fenchel.parts import state
from fenchel.parts.state import Array
from fenchel.rows import Rows

DTYPES = ("float64", "float32")
BLOCK = 1024  # rows read together


class TensorRows:
    """Rows that lie on the device already."""

    def __init__(self, tensor: Any) -> None:
        if tensor.ndim != 2:
            raise ValueError(f"X has {tensor.ndim} dimensions: give rows × columns")
        if not bool(tensor.isfinite().all()):
            raise ValueError("X has a value that is not finite: fill or remove it")
        self.tensor = tensor
        self.count, self.width = tensor.shape

    def __len__(self) -> int:
        return int(self.count)


def load_rows(torch: Any, rows: Any, engine: Engine, X: Any, begin: int, end: int) -> None:
    """Put some rows into the first rows of X on the device, the intercept first."""
    count, columns = end - begin, engine.columns
    if engine.intercept:
        X[:count, 0] = 1.0
    if isinstance(rows, TensorRows):
        table = rows.tensor[begin:end]
    elif rows.is_dense:
        table = torch.from_numpy(rows.view.values[begin:end])
    else:
        table = torch.from_numpy(rows.part(begin, end).to_matrix().toarray())
    width = min(rows.width, columns)
    X[:count, 1 : 1 + width] = table[:, :width]
    if width < columns:
        X[:count, 1 + width :] = 0.0


def tensor_rows(matrix: DeviceMatrix, X: Any) -> TensorRows | None:
    """Rows of an array that lies on the matrix's device; None for any other."""
    torch = matrix.torch
    if not hasattr(X, "__dlpack_device__") or isinstance(X, np.ndarray):
        return None
    tensor = X if isinstance(X, torch.Tensor) else torch.from_dlpack(X)
    return TensorRows(tensor) if tensor.device.type == matrix.device.type else None


def moments_of(f: Any) -> Array:
    """A = RᵀR + Σ p·pᵀ over the rows that wait; a row of R never touched is that of √a·I."""
    R = f.factor.copy()
    untouched = np.diagonal(R) == 0.0
    R[untouched, untouched] = np.sqrt(f.a)
    return np.asarray(R.T @ R + f.rows.T @ f.rows)


def engine_for(parts: Parts, device: str | None, dtype: str | None, **told: Any) -> Engine:
    """The engine of these parts: on the CPU in compiled loops, or on a device of PyTorch's."""
    if device is not None:
        return OnDevice(parts, device=device, dtype=dtype or DTYPES[0], **told)
    if dtype not in (None, DTYPES[0]):
        raise ValueError(f"dtype={dtype!r} needs a device: say device='cuda' too")
    return Composed(parts, **told)


def moved(engine: Engine, device: str | None, dtype: str | None) -> Engine:
    """The same engine on another device, with its state."""
    twin = engine.on_host() if isinstance(engine, OnDevice) else engine
    if not isinstance(twin, Composed):
        raise ValueError(
            f"{engine.name} is made of several learners: only one of three parts moves"
        )
    twin.parameters = {k: v for k, v in twin.parameters.items() if k not in ("device", "dtype")}
    if device is None:
        return twin
    where = {"device": device} if dtype is None else {"device": device, "dtype": dtype}
    told = {"name": twin.name, "parameters": {**twin.parameters, **where}}
    made = OnDevice(twin.parts, **where, **told, intercept=twin.intercept, task=twin.task)  # type: ignore[arg-type]
    made.lay_in_host(twin)
    return made


class OnDevice(Engine):
    """Algorithm 1 with a full matrix, its products on a device, its decisions by the compiled verbs."""

    def __init__(
        self,
        parts: Parts,
        *,
        device: str,
        dtype: str = "float64",
        name: str = "custom",
        parameters: Mapping[str, Any] | None = None,
        intercept: bool = True,
        task: str | None = None,
    ) -> None:
        if not by_blocks.answers(parts):
            raise ValueError(
                f"device={device!r} is for full matrices without averaged and certify: "
                "say diagonal=False, or leave device out"
            )
        if dtype not in DTYPES:
            raise ValueError(f"dtype={dtype!r}: choose {' or '.join(DTYPES)}")
        super().__init__(name, parameters or {}, task or parts.loss.task, intercept)
        self.parts = state.start(parts, 2)
        self.device, self.dtype = device, dtype
        self.matrix = DeviceMatrix(device, dtype, parts.regularizer.a, 1)

    @property
    def loss(self) -> Any:
        """ℓ."""
        return self.parts.loss

    @property
    def updates(self) -> int | None:
        """In how many rounds the weights moved."""
        return int(self.counts[UPDATES])

    def learns_by_blocks(self, columns: int) -> bool:
        """Yes, however few there are."""
        return True

    @property
    def has_matrix(self) -> bool:
        """Whether the state holds a matrix of columns × columns."""
        return True

    def rows_of(self, X: Any) -> Any:
        """Rows of an array that lies on this device; None for any other."""
        return tensor_rows(self.matrix, X)

    # ── learning and reading ────────────────────────────────────────────────────────────────────

    def learn(self, rows: Any, targets: Array, importance: Array, checked: bool) -> Array:
        """Learn by blocks; see ``DeviceMatrix``."""
        if isinstance(rows, Rows):
            refuse_unsound(rows, checked)
        margins = np.empty((len(rows), 1))
        given = targets.reshape(-1, 1), importance, margins, self.counts

        def load(X: Any, begin: int, end: int) -> None:
            load_rows(self.matrix.torch, rows, self, X, begin, end)

        self.matrix.learn(load, len(rows), by_blocks.decider(self.parts, *given))
        return margins[:, 0]

    def read(self, rows: Any, what: str = "margins") -> Array:
        """Read as the next round would."""
        out, matrix = np.empty(len(rows)), self.matrix
        for begin in range(0, len(rows), BLOCK):
            end = min(begin + BLOCK, len(rows))
            shape = end - begin, matrix.slots
            X = matrix.torch.zeros(shape, dtype=matrix.dtype, device=matrix.device)
            load_rows(matrix.torch, rows, self, X, begin, end)
            along, chi = matrix.read(X)
            f, spreads = self.parts.regularizer, what == "spreads"
            blocks.view_block(f, along[:, 0].copy(), chi, out[begin:end], spreads)
        return out

    def weights(self) -> Array:
        """Return the weight of each slot, the intercept's first."""
        self.matrix.grow(self.columns + 1)
        return self.matrix.weights()[0, : self.columns + 1].copy()

    # ── its state ───────────────────────────────────────────────────────────────────────────────

    def take_up(self, width: int) -> Any:
        """Make room for so many columns."""
        before = self.columns
        if width > MOST_FULL:
            raise ValueError(
                f"{self.name} keeps a {width} × {width} matrix: with more than {MOST_FULL} "
                "features use diagonal=True"
            )
        self.columns = max(width, before)
        self.matrix.grow(self.columns + 1)
        return before

    def put_back(self, before: Any) -> None:
        """Undo ``take_up``: columns without rows change nothing."""
        self.columns = before

    def on_host(self) -> Composed:
        """The same learner on the CPU, with the same state."""
        twin = Composed(
            self.parts,
            name=self.name,
            parameters=self.parameters,
            intercept=self.intercept,
            task=self.task,
        )
        twin.restart(self.columns)
        twin.counts[:] = self.counts
        f, n = twin.regularizer, self.columns + 1
        if self.rounds:
            R, theta, rotated = self.matrix.state()
            f.factor[:n, :n], f.theta[:n], f.rotated[:n] = R[:n, :n], theta[0, :n], rotated[0, :n]
            f.widest[0] = self.columns
        return twin

    def lay_in_host(self, twin: Composed) -> None:
        """Take the state of the same learner on the CPU."""
        f, n = twin.regularizer, twin.columns + 1
        self.columns = twin.columns
        self.counts[:] = twin.counts
        self.matrix.put(moments_of(f)[:n, :n], f.theta[None, :n])

    def state_arrays(self) -> dict[str, Array]:
        """Return the state by name, as the CPU keeps it."""
        return self.on_host().state_arrays()

    def restart(self, width: int) -> None:
        """Begin with fresh state of so many columns."""
        self.matrix = DeviceMatrix(self.device, self.dtype, self.parts.regularizer.a, 1)
        self.columns = 0
        self.take_up(width)

    def lay_in(self, arrays: Mapping[str, Array], width: int) -> None:
        """Take the state of a model file."""
        twin = self.on_host()
        twin.lay_in(arrays, width)
        self.lay_in_host(twin)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "matrix": None, "host": self.on_host()}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        twin = kept.pop("host")
        super().__setstate__(kept)
        self.matrix = DeviceMatrix(self.device, self.dtype, self.parts.regularizer.a, 1)
        self.lay_in_host(twin)
