"""A full matrix on a device of PyTorch's: Σ = A⁻¹, learned by blocks of rows.

For the rows X of a block: P = X·Σ, G = P·Xᵀ, and the margins at its start X·w. The recursion of
``loops.blocks`` on the host decides each row from these; then, of the rows kept,

    V = L⁻¹·(s ∘ P),    Σ ← Σ − VᵀV,    w ← w + Vᵀt,    θ ← θ + Xᵀc,    A ← A + (s ∘ X)ᵀ(s ∘ X).

The host is not waited for: while it decides a block, the device already has P for the next one from the
old Σ, and puts it right by P ← P − (X·Vᵀ)·V. A itself, its lower half, is kept beside Σ: it never loses
a digit, Σ is computed from it anew after some rounds, and model files are written from it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from fenchel.learners.device_block import DeviceBlock
from fenchel.loops.blocks import Turns
from fenchel.parts.state import Array

# Σ is computed anew after so many rounds a column: d³ operations against 4·d² a round.
ROUNDS_A_COLUMN = 16
# Rows of a block, and from how many columns on.
ROWS = ((8192, 256), (2048, 160), (0, 96))
# Slots in whole lines of so many numbers: products of odd widths take a third longer.
LINE = 64
# Outputs in whole lines too, so that one of them and ten are the same work to the device.
LINE_OF_OUTPUTS = 32

Decide = Callable[[int, int, Array, Array, Turns], tuple[int, int]]


def torch_for(device: str) -> Any:
    """PyTorch, once it is known to have this device."""
    try:
        torch = import_module("torch")
    except ImportError:
        raise ValueError(
            f"device={device!r} needs PyTorch: install fenchel[gpu], or leave device out"
        ) from None
    try:
        kind = torch.device(device)
    except RuntimeError:
        raise ValueError(f"device={device!r} is none of PyTorch's: say 'cuda', or 'cpu'") from None
    if kind.type == "cuda" and (kind.index or 0) >= torch.cuda.device_count():
        raise ValueError(
            f"device={device!r}: PyTorch {torch.__version__} finds no such GPU here; leave device out to "
            "learn on the CPU, or install the driver and a build of PyTorch for it"
        )
    return torch


class DeviceMatrix:
    """A, Σ, and w and θ for each output, as wide as the columns known, the intercept's first."""

    def __init__(self, device: str, dtype: str, a: float, outputs: int) -> None:
        self.torch = torch_for(device)
        self.device, self.a, self.outputs = self.torch.device(device), float(a), outputs
        self.dtype = getattr(self.torch, dtype)
        self.since = 0
        self._lay(0)

    @property
    def room(self) -> int:
        """The outputs, and some that there are not yet."""
        return -(-self.outputs // LINE_OF_OUTPUTS) * LINE_OF_OUTPUTS

    @property
    def moments(self) -> Any:
        """A, right on and below its diagonal."""
        return self.sums[: self.slots]

    @property
    def theta(self) -> Any:
        """θ of each output."""
        return self.sums[self.slots : self.slots + self.outputs]

    @property
    def slots(self) -> int:
        """The columns and the intercept's, and some that no row has."""
        return int(self.w.shape[1])

    def _zeros(self, *shape: int) -> Any:
        try:
            return self.torch.zeros(shape, dtype=self.dtype, device=self.device)
        except (RuntimeError, MemoryError):
            size = self.dtype.itemsize * float(np.prod([float(n) for n in shape])) / 1e9
            raise ValueError(
                f"{self.device} has no room for a matrix of {shape[0]} × {shape[-1]} ({size:.1f} GB): "
                "hash the features into fewer columns, or choose float32 or diagonal=True"
            ) from None

    def _lay(self, slots: int) -> None:
        self._block: DeviceBlock | None = None
        self.w, self.sigma = self._zeros(self.outputs, slots), self._zeros(slots, slots)
        self.sums = self._zeros(slots + self.room, slots)  # A, and below it θ of each output
        self.sigma.fill_diagonal_(1.0 / self.a)
        self.moments.fill_diagonal_(self.a)

    def grow(self, slots: int) -> None:
        """Make room for more columns, unseen so far."""
        if slots <= self.slots:
            return
        slots = -(-slots // LINE) * LINE
        sigma, moments, w, theta, n = self.sigma, self.moments, self.w, self.theta, self.slots
        self._lay(slots)
        self.sigma[:n, :n], self.moments[:n, :n] = sigma, moments
        self.w[:, :n], self.theta[:, :n] = w, theta

    def add_outputs(self, outputs: int) -> None:
        """Make room for more outputs, whose weights are 0."""
        more, sums, room = outputs - self.outputs, self.sums, self.room
        if more > 0:
            self.outputs, self._block = outputs, None
            self.w = self.torch.cat([self.w, self._zeros(more, self.slots)])
            if self.room > room:
                self.sums = self.torch.cat([sums, self._zeros(self.room - room, self.slots)])

    def put(self, moments: Array, theta: Array) -> None:
        """Take A and θ, computed elsewhere."""
        n = len(moments)
        self._lay(-(-n // LINE) * LINE)
        self.moments[:n, :n] = self.torch.from_numpy(np.ascontiguousarray(moments))
        self.theta[:, :n] = self.torch.from_numpy(np.ascontiguousarray(theta))
        self.refresh()

    def factor(self) -> Any:
        """The lower triangle L with A = L·Lᵀ."""
        try:
            lower = self.torch.linalg.cholesky(self.moments.double())
        except RuntimeError:
            raise ValueError(
                f"the features are too nearly collinear for Σ in {self.dtype} on {self.device}: "
                "leave device out, where the matrix is kept as a factor"
            ) from None
        return lower

    def refresh(self) -> None:
        """Σ and w from A and θ."""
        lower = self.factor()
        self.sigma.copy_(self.torch.cholesky_inverse(lower))
        self.w.copy_(self.torch.cholesky_solve(self.theta.double().T, lower).T)
        self.since = 0

    # ── learning ────────────────────────────────────────────────────────────────────────────────

    def learn(self, load: Callable[[Any, int, int], None], count: int, decide: Decide) -> None:
        """Learn ``count`` rows: ``load(X, begin, end)`` puts some of them into the first rows of X.

        ``decide(begin, end, G, starts, turns)`` decides rows on the host, and tells how many, and how
        many of them are kept.
        """
        if self._block is None:
            self._block = DeviceBlock(self, next(k for least, k in ROWS if self.slots >= least))
        block, begin, size = self._block, 0, self._block.size
        block.begin(load, min(size, count))
        while begin < count:
            end = min(begin + size, count)
            block.go_on(load, end, min(end + size, count))
            if self.since >= ROUNDS_A_COLUMN * self.slots:
                self.refresh()
                block.look(load, end, min(end + size, count))
            done, _ = decide(begin, end, *block.answer(end - begin), block.turns)
            begin += done
            if begin < end:  # the rest of the block once more, behind what was kept
                block.look(load, begin, min(begin + size, count))
            block.change()
            self.since += done
        block.end()  # what the last rows changed is kept too

    # ── reading ─────────────────────────────────────────────────────────────────────────────────

    def read(self, X: Any) -> tuple[Array, Array]:
        """θᵀA⁻¹x for each output, and xᵀA⁻¹x, of rows as wide as Σ."""
        along, spread = X @ self.w.T, ((X @ self.sigma) * X).sum(dim=1)
        return along.double().cpu().numpy(), spread.double().cpu().numpy()

    def weights(self) -> Array:
        """A⁻¹·θ, one row an output."""
        return np.asarray(self.w.double().cpu().numpy())

    def state(self) -> tuple[Array, Array, Array]:
        """R with A = RᵀR, θ and b = R⁻ᵀθ, on the host."""
        lower = self.factor()
        theta = self.theta.double()
        rotated = self.torch.linalg.solve_triangular(lower, theta.T, upper=False).T
        return lower.T.cpu().numpy(), theta.cpu().numpy(), rotated.cpu().numpy()
