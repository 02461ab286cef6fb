"""Regularizers of matrices, X = R^{K×d} with ⟨A, B⟩ = tr AᵀB: Schatten norms, and the group norm."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fenchel.parts.state import SCALAR, Array, part
from fenchel.regularizers.p_norm import norm, norm_gradient


@part
class Schatten(NamedTuple):
    """f(W) = ½·‖W‖²_{S(q)}, half the squared q-norm of the singular values (1 < q ≤ 2).

    f*(Θ) = ½·‖Θ‖²_{S(p)}; ∇f*(Θ) = U·diag(∇½‖σ‖_p²)·Vᵀ for Θ = U·diag(σ)·Vᵀ. β = q − 1 for the
    Schatten q-norm, whose dual is the Schatten p-norm. p = 2 is the Frobenius case.

    >>> f = Schatten(p=2.0)
    >>> f.gradient(np.diag([3.0, 4.0]))
    array([[3., 0.],
           [0., 4.]])
    """

    p: float = 2.0

    @property
    def homogeneous(self) -> bool:
        """Whether f_t(λu) = λ²·f_t(u)."""
        return True

    @property
    def q(self) -> float:
        """The primal exponent p/(p − 1)."""
        return self.p / (self.p - 1.0)

    def value(self, u: Array) -> float:
        """f(U) = ½·‖U‖²_{S(q)}."""
        return 0.5 * self.norm(u) ** 2

    def conjugate(self, theta: Array) -> float:
        """f*(Θ) = ½·‖Θ‖²_{S(p)}."""
        return 0.5 * self.dual_norm(theta) ** 2

    def gradient(self, theta: Array) -> Array:
        """∇f*(Θ)."""
        left, singular, right = np.linalg.svd(theta, full_matrices=False)
        return np.asarray((left * norm_gradient(singular, self.p)) @ right)

    @property
    def strong_convexity(self) -> float:
        """β = q − 1."""
        return self.q - 1.0

    def norm(self, u: Array) -> float:
        """The Schatten q-norm."""
        return norm(np.asarray(np.linalg.svd(u, compute_uv=False), np.float64), self.q)

    def dual_norm(self, z: Array) -> float:
        """The Schatten p-norm."""
        return norm(np.asarray(np.linalg.svd(z, compute_uv=False), np.float64), self.p)


@part
class GroupComposite(NamedTuple):
    """f_t(W) = √t/2·‖W‖²_F + η·t·λ·‖W‖_{2,1}, ‖W‖_{2,1} = Σ_j ‖column j‖₂ as composite term F.

    A column, one feature over all tasks, is zero as a whole or not at all: ∇f_t*(Θ) shrinks each
    column's length by η·t·λ and divides by √t. β_t = √t for the Frobenius norm.

    >>> f = GroupComposite(eta=1.0, strength=1.0).begin((2, 2)).observe(np.zeros(2))
    >>> f.gradient(np.array([[3.0, 0.5], [4.0, 0.5]]))
    array([[2.4, 0. ],
           [3.2, 0. ]])
    """

    eta: float = 1.0
    strength: float = 0.1
    rounds: Array = SCALAR

    @property
    def homogeneous(self) -> bool:
        """Whether f_t(λu) = λ²·f_t(u)."""
        return False

    @property
    def sees_rows(self) -> bool:
        """Whether f_t depends on x_t: it only counts the rounds."""
        return False

    def observe(self, x: Array) -> GroupComposite:
        """f_t from f_{t−1}: t grows by one."""
        return self._replace(rounds=self.rounds + 1.0)

    def composite_term(self, u: Array) -> float:
        """F(U) = λ·‖U‖_{2,1}."""
        return float(self.strength * np.linalg.norm(u, axis=0).sum())

    def value(self, u: Array) -> float:
        """f_t(U)."""
        t = self.rounds[0]
        return float(0.5 * np.sqrt(t) * np.vdot(u, u) + self.eta * t * self.composite_term(u))

    def gradient(self, theta: Array) -> Array:
        """∇f_t*(Θ): each column shortened by η·t·λ, over √t."""
        t = self.rounds[0]
        largest = np.abs(theta).max(axis=0, initial=0.0)  # its square may be beyond the floats
        unit = np.divide(theta, largest, out=np.zeros_like(theta), where=largest > 0.0)
        lengths = largest * np.linalg.norm(unit, axis=0)
        kept = np.maximum(lengths - self.eta * t * self.strength, 0.0)
        scale = np.divide(kept, lengths, out=np.zeros_like(lengths), where=lengths > 0.0)
        return np.asarray(theta * (scale / np.sqrt(t)))

    def conjugate(self, theta: Array) -> float:
        """f_t*(Θ) = ⟨W, Θ⟩ − f_t(W) at W = ∇f_t*(Θ), eq. (useful)."""
        w = self.gradient(theta)
        return float(np.vdot(w, theta)) - self.value(w)

    @property
    def strong_convexity(self) -> float:
        """β_t = √t."""
        return float(np.sqrt(self.rounds[0]))

    def norm(self, u: Array) -> float:
        """The Frobenius norm."""
        return float(np.linalg.norm(u))

    def dual_norm(self, z: Array) -> float:
        """The Frobenius norm."""
        return float(np.linalg.norm(z))
