"""AdaGrad with the whole matrix (Duchi, Hazan & Singer, 2011), in NumPy: for ``MirrorDescent``."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fenchel.parts.state import MATRIX, SLOTS, Array, part


@part
class FullAdaGrad(NamedTuple):
    """f_t(w) = ½·wᵀH_t·w, H_t = δ·I + (Σ_{s<t} ℓ′_s·ℓ′_sᵀ)^{1/2}, with z_t = −η·ℓ′_t.

    A case of Corollary 1's g_t + η·t·F with F = 0: H_t grows. 1-strongly convex for √(uᵀH_t·u). An
    eigenvalue decomposition a round, d³ operations: for some hundred coordinates.

    >>> f = FullAdaGrad(delta=1.0).begin(2)
    >>> f = f.commit(f, np.array([3.0, 4.0]))                  # H = I + 5·(0.6, 0.8)(0.6, 0.8)ᵀ
    >>> f.gradient(np.array([3.0, 4.0])).round(6)
    array([0.5     , 0.666667])
    """

    eta: float = 1.0
    delta: float = 1.0
    theta: Array = SLOTS
    moments: Array = MATRIX

    @property
    def quadratic(self) -> bool:
        """Whether f_t(w) = ½·wᵀA_t·w on the whole space."""
        return True

    @property
    def homogeneous(self) -> bool:
        """Whether f_t(λu) = λ²·f_t(u)."""
        return True

    @property
    def nondecreasing(self) -> bool:
        """Whether H_t grows: the root of a sum of products x·xᵀ does."""
        return True

    def commit(self, current: FullAdaGrad, z: Array) -> FullAdaGrad:
        """Add ℓ′_t·ℓ′_tᵀ, where ℓ′_t = −z_t/η."""
        return current._replace(moments=current.moments + np.outer(z, z) / self.eta**2)

    @property
    def matrix(self) -> Array:
        """H_t."""
        values, vectors = np.linalg.eigh(self.moments)
        root = np.sqrt(np.maximum(values, 0.0))
        return np.asarray(self.delta * np.eye(len(values)) + (vectors * root) @ vectors.T)

    def value(self, u: Array) -> float:
        """f_t(u) = ½·uᵀH_t·u."""
        return 0.5 * float(u @ self.matrix @ u)

    def gradient(self, theta: Array) -> Array:
        """∇f_t*(θ) = H_t⁻¹·θ."""
        return np.asarray(np.linalg.solve(self.matrix, theta))

    def conjugate(self, theta: Array) -> float:
        """f_t*(θ) = ½·θᵀH_t⁻¹·θ."""
        return 0.5 * float(theta @ self.gradient(theta))

    @property
    def strong_convexity(self) -> float:
        """β_t = 1."""
        return 1.0

    def norm(self, u: Array) -> float:
        """√(uᵀH_t·u)."""
        return float(np.sqrt(2.0 * self.value(u)))

    def dual_norm(self, z: Array) -> float:
        """√(zᵀH_t⁻¹·z)."""
        return float(np.sqrt(2.0 * self.conjugate(z)))
