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

from fenchel.loops.blocks import Turns, turns_for
from fenchel.parts.state import Array

# Σ is computed anew after so many rounds a column: d³ operations against 4·d² a round.
ROUNDS_A_COLUMN = 16
# A grows in strips of columns from the diagonal down: 9/16 of the operations of all of it.
STRIPS = 8
# Rows of a block, and from how many columns on.
ROWS = ((8192, 256), (2048, 128), (0, 64))

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
    if kind.type == "cuda" and not torch.cuda.is_available():
        raise ValueError(
            f"device={device!r}: PyTorch {torch.__version__} finds no GPU here; leave device out to "
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
    def slots(self) -> int:
        """The columns and the intercept's."""
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
        self.sigma, self.moments = self._zeros(slots, slots), self._zeros(slots, slots)
        self.w, self.theta = self._zeros(self.outputs, slots), self._zeros(self.outputs, slots)
        self.sigma.fill_diagonal_(1.0 / self.a)
        self.moments.fill_diagonal_(self.a)

    def grow(self, slots: int) -> None:
        """Make room for more columns, unseen so far."""
        if slots <= self.slots:
            return
        sigma, moments, w, theta, n = self.sigma, self.moments, self.w, self.theta, self.slots
        self._lay(slots)
        self.sigma[:n, :n], self.moments[:n, :n] = sigma, moments
        self.w[:, :n], self.theta[:, :n] = w, theta

    def put(self, moments: Array, theta: Array) -> None:
        """Take A and θ, computed elsewhere."""
        self._lay(len(moments))
        self.moments.copy_(self.torch.from_numpy(np.ascontiguousarray(moments)))
        self.theta.copy_(self.torch.from_numpy(np.ascontiguousarray(theta)))
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
        self.sigma = self.torch.cholesky_inverse(lower).to(self.dtype)
        self.w = self.torch.cholesky_solve(self.theta.double().T, lower).T.to(self.dtype).contiguous()
        self.since = 0

    # ── learning ────────────────────────────────────────────────────────────────────────────────

    def learn(self, rows: Callable[[int, int], Any], count: int, decide: Decide) -> None:
        """Learn ``count`` rows: ``rows(begin, end)`` are some of them here, as wide as Σ.

        ``decide(begin, end, G, starts, turns)`` decides rows on the host, and tells how many, and how
        many of them are kept.
        """
        if count == 0:
            return
        size = min(count, next(k for least, k in ROWS if self.slots >= least))
        host = _Host(self, size)
        begin, end = 0, size
        X = rows(begin, end)
        P = X @ self.sigma
        ready = host.ask(X, P)
        while True:
            after = min(end + size, count)
            X_next = rows(end, after) if end < after else None
            P_next = None if X_next is None else X_next @ self.sigma
            G, starts = host.answer(ready, end - begin)
            done, kept = decide(begin, end, G, starts, host.turns)
            V, Y = host.changes(X, P, kept)
            if begin + done < end:  # the rest of the block once more, behind what was kept
                self._keep(V, Y)
                begin += done
                end = min(begin + size, count)
                X = rows(begin, end)
                P = X @ self.sigma
                ready = host.ask(X, P)
                continue
            if X_next is not None:
                P_next -= (X_next @ V.T) @ V
                ready = host.ask(X_next, P_next)
            self._keep(V, Y)
            self.since += done
            if X_next is None:
                return
            if self.since >= ROUNDS_A_COLUMN * self.slots:
                self.refresh()
            X, P, begin, end = X_next, P_next, end, after

    def _keep(self, V: Any, Y: Any) -> None:
        """Σ ← Σ − VᵀV, A ← A + YᵀY, strip by strip where that is less."""
        self.sigma.addmm_(V.T, V, alpha=-1.0)
        strips = STRIPS if self.slots >= 4096 else 1
        step = -(-self.slots // strips)
        for j in range(0, self.slots, step):
            self.moments[j:, j : j + step].addmm_(Y[:, j:].T, Y[:, j : j + step])

    # ── reading ─────────────────────────────────────────────────────────────────────────────────

    def read(self, X: Any) -> tuple[Array, Array]:
        """θᵀA⁻¹x for each output, and xᵀA⁻¹x, of rows as wide as Σ."""
        along, spread = X @ self.w.T, ((X @ self.sigma) * X).sum(dim=1)
        return along.double().cpu().numpy(), spread.double().cpu().numpy()

    def state(self) -> tuple[Array, Array, Array]:
        """R with A = RᵀR, θ and b = R⁻ᵀθ, on the host."""
        lower = self.factor()
        theta = self.theta.double()
        rotated = self.torch.linalg.solve_triangular(lower, theta.T, upper=False).T
        return lower.T.cpu().numpy(), theta.cpu().numpy(), rotated.cpu().numpy()


class _Host:
    """What passes between device and host in a block: G and margins down, L, s, t and c up."""

    def __init__(self, matrix: DeviceMatrix, rows: int) -> None:
        torch, outputs = matrix.torch, matrix.outputs
        self.matrix, self.turns = matrix, turns_for(rows, outputs)
        pinned = {"pin_memory": matrix.device.type == "cuda"}
        self.down = torch.empty(rows * (rows + outputs), dtype=matrix.dtype, **pinned)
        self.up = torch.empty((rows, rows + 2 + 2 * outputs), dtype=torch.float64, **pinned)
        self.cuda = torch.cuda if matrix.device.type == "cuda" else None

    def ask(self, X: Any, P: Any) -> Any:
        """Send G and the margins at the start; returns what says that they have come."""
        both = self.matrix.torch.cat([P @ X.T, X @ self.matrix.w.T], dim=1)
        self.down[: both.numel()].copy_(both.view(-1), non_blocking=True)
        return None if self.cuda is None else self.cuda.current_stream().record_event()

    def answer(self, ready: Any, n: int) -> tuple[Array, Array]:
        """G and the margins, once they have come."""
        if ready is not None:
            ready.synchronize()
        width = n + self.matrix.outputs
        both = self.down[: n * width].numpy().reshape(n, width).astype(np.float64)
        return np.ascontiguousarray(both[:, :n]), np.ascontiguousarray(both[:, n:])

    def changes(self, X: Any, P: Any, kept: int) -> tuple[Any, Any]:
        """V and Y = s ∘ X of the rows kept; w and θ move here."""
        matrix, turns, outputs = self.matrix, self.turns, self.matrix.outputs
        table = self.up.numpy()[:kept]
        table[:, :kept] = turns.factor[:kept, :kept].T
        columns = [turns.scales[:kept, None], turns.places[:kept, None].astype(np.float64)]
        table[:, kept : kept + 2] = np.concatenate(columns, axis=1)
        table[:, kept + 2 : kept + 2 + outputs] = turns.along[:kept]
        table[:, kept + 2 + outputs : kept + 2 + 2 * outputs] = turns.steps[:kept]
        here = self.up[:kept].to(matrix.device, non_blocking=True)
        places, told = here[:, kept + 1].long(), here.to(matrix.dtype)
        scales, t = told[:, kept, None], told[:, kept + 2 : kept + 2 + outputs]
        steps, X = told[:, kept + 2 + outputs : kept + 2 + 2 * outputs], X[places]
        V = matrix.torch.linalg.solve_triangular(told[:, :kept], scales * P[places], upper=False)
        matrix.w.addmm_(t.T, V)
        matrix.theta.addmm_(steps.T, X)
        return V, scales * X
