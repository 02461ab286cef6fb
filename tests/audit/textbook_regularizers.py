"""The f_t of every learner in dense NumPy, for ``MirrorDescent``: written anew for the audit.

Each has value, gradient of the conjugate, conjugate, strong_convexity and dual_norm; ``observe`` and
``commit`` where f_t changes; ``term`` is the composite F. Nothing of fenchel.regularizers is used.
"""

import copy

import numpy as np
from scipy.optimize import brentq


def project(domain, w):
    """The nearest point of S, named by a tuple: ("box", low, high), ("ball", r), …"""
    kind, *numbers = domain
    if kind == "box":
        return np.clip(w, *numbers)
    if kind == "orthant":
        return np.maximum(w, 0.0)
    if kind == "ball":
        return w * min(1.0, numbers[0] / max(np.sqrt(w @ w), 1e-300))
    if kind == "simplex":
        down = np.sort(w)[::-1]
        shifts = (np.cumsum(down) - 1.0) / np.arange(1, len(w) + 1)
        shift = shifts[np.flatnonzero(down > shifts)[-1]]
        return np.maximum(w - shift, 0.0)
    return w


def p_norm(v, p):
    top = np.abs(v).max(initial=0.0)
    return 0.0 if top == 0.0 else top * np.sum((np.abs(v) / top) ** p) ** (1.0 / p)


class F:
    """Parameters as attributes; f*(θ) = ⟨w, θ⟩ − f(w) at w = ∇f*(θ); ½‖·‖₂² unless told otherwise."""

    domain = ("whole",)
    l1 = l2 = lag = 0.0
    quadratic = weighs = on_updates = False
    strong_convexity = 1.0

    def __init__(self, **parameters):
        self.__dict__.update(parameters)

    def begin(self, d):
        self.d = self.width = d
        self.t = 0
        self.squares = np.zeros(d)
        self.start()
        return self

    def start(self):
        """What else it keeps."""

    def but(self, **changes):
        twin = copy.copy(self)
        twin.__dict__.update(changes)
        return twin

    def observe(self, x):
        return self.but(t=self.t + 1)

    def term(self, u):
        """F(u)."""
        return self.l1 * np.abs(u).sum() + 0.5 * self.l2 * (u @ u)

    def sizes(self, w, theta):
        """How large the terms are that a weight is made of: its rounding is a share of them."""
        return np.abs(w)

    def conjugate(self, theta):
        w = self.gradient(theta)
        return w @ theta - self.value(w)

    def dual_norm(self, z):
        return np.sqrt(z @ z)


class Weighted(F):
    """½·Σ curvature_i·w_i² + threshold·‖w‖₁ on S."""

    threshold = 0.0

    @property
    def quadratic(self):
        return self.l1 == 0.0 and self.domain == ("whole",)

    def value(self, u):
        return 0.5 * np.sum(self.curvature * u * u) + self.threshold * np.abs(u).sum()

    def gradient(self, theta):
        kept = np.sign(theta) * np.maximum(np.abs(theta) - self.threshold, 0.0)
        w = np.zeros(self.d)
        w[: self.width] = project(self.domain, (kept / self.curvature)[: self.width])
        return w

    def widen(self, width):
        """A simplex has the coordinates that are known."""
        return self.but(width=width)


class Still(Weighted):
    """½‖w‖² on S."""

    curvature = 1.0


class Rooted(Weighted):
    """root·√t·½‖w‖² + η·t·F, with t − lag for t."""

    root = 1.0

    @property
    def curvature(self):
        t = self.t - self.lag
        return self.root * np.sqrt(max(t, 1.0)) + self.eta * t * self.l2

    strong_convexity = curvature

    @property
    def threshold(self):
        return self.eta * (self.t - self.lag) * self.l1


class Adaptive(Weighted):
    """AdaGrad: ½·Σ (δ + √Σ_{s<t} ℓ′²_i)·w_i² + η·t·F; the norm is the one that f_t defines."""

    @property
    def curvature(self):
        return self.delta + np.sqrt(self.squares) + self.eta * self.t * self.l2

    @property
    def threshold(self):
        return self.eta * self.t * self.l1

    def commit(self, now, z):
        return now.but(squares=now.squares + (z / self.eta) ** 2)

    def dual_norm(self, z):
        return np.sqrt(np.sum(z * z / self.curvature))


class Diagonal(Weighted):
    """½·Σ (a + Σ x²_i/r)·w_i², kept on updates, or always."""

    a, always, weighs = 1.0, False, True

    @property
    def on_updates(self):
        return not self.always

    @property
    def curvature(self):
        return self.a + self.squares

    def observe(self, x):
        return self.but(squares=self.squares + x * x / self.r)

    def commit(self, now, z):
        return now if self.always or z.any() else self

    def dual_norm(self, z):
        return np.sqrt(np.sum(z * z / self.curvature))


class Full(F):
    """½·wᵀA·w, A = a·I + Σ x·xᵀ/r; ``past`` predicts with the A of the round before."""

    a, always, past, weighs, quadratic = 1.0, False, False, True, True

    @property
    def on_updates(self):
        return not self.always

    def start(self):
        self.A = self.a * np.eye(self.d)

    def observe(self, x):
        larger = self.A + np.outer(x, x) / self.r
        return self.but(waiting=larger) if self.past else self.but(A=larger)

    def commit(self, now, z):
        if not (self.always or z.any()):
            return self
        return now.but(A=now.waiting) if self.past else now

    def value(self, u):
        return 0.5 * u @ self.A @ u

    def gradient(self, theta):
        return np.linalg.solve(self.A, theta)

    def dual_norm(self, z):
        return np.sqrt(z @ np.linalg.solve(self.A, z))


class PNorm(F):
    """c/2·‖w‖_q², whose conjugate is ‖θ‖_p²/(2c)."""

    c = 1.0

    @property
    def strong_convexity(self):
        return self.c / (self.p - 1.0)

    def value(self, u):
        return 0.5 * self.c * p_norm(u, self.p / (self.p - 1.0)) ** 2

    def gradient(self, theta):
        size = p_norm(theta, self.p)
        if size == 0.0:
            return 0.0 * theta
        return size * np.sign(theta) * (np.abs(theta) / size) ** (self.p - 1.0) / self.c

    def dual_norm(self, z):
        return p_norm(z, self.p)


class Levelled(PNorm):
    """X_t²·f, f = (p − 1)/2·‖w‖_q², X_t the largest ‖x‖_p so far."""

    level = 0.0

    @property
    def c(self):
        return (self.p - 1.0) * self.level**2

    def observe(self, x):
        return self.but(level=max(self.level, p_norm(x, self.p)))

    def gradient(self, theta):
        return super().gradient(theta) if self.level else 0.0 * theta


class InvariantPNorm(F):
    """Eq. (f1): β_t/2·‖u·b_t‖²_{q_t}."""

    longest, sum = 1, 0.0

    def start(self):
        self.b = np.zeros(self.d)

    def observe(self, x):
        return self.but(
            b=np.maximum(self.b, np.abs(x)), longest=max(self.longest, np.count_nonzero(x))
        )

    def commit(self, now, z):
        return now.but(sum=now.sum + (now.p - 1.0) * (now.dual_norm(z) / self.eta) ** 2)

    @property
    def p(self):
        return max(2.0, 2.0 * np.log(self.longest))

    @property
    def beta(self):
        return np.sqrt(np.e * self.L**2 * (self.p - 1.0) + self.sum)

    @property
    def strong_convexity(self):
        return self.beta / (self.p - 1.0)

    def in_units(self, v):
        return np.divide(v, self.b, out=np.zeros(self.d), where=self.b > 0.0)

    def value(self, u):
        return 0.5 * self.beta * p_norm(u * self.b, self.p / (self.p - 1.0)) ** 2

    def gradient(self, theta):
        inner = PNorm(p=self.p, c=self.beta).gradient(self.in_units(theta))
        return self.in_units(inner)

    def dual_norm(self, z):
        return p_norm(self.in_units(z), self.p)


class InvariantAdaGrad(F):
    """Eq. (f2), with the d of the round in which each feature appeared."""

    quadratic = True

    def start(self):
        self.b, self.roots = np.zeros((2, self.d))

    def widen(self, width):
        return self.but(width=width)

    def observe(self, x):
        root = np.sqrt(self.width) if self.sqrt_d else 1.0
        new = (self.b == 0.0) & (x != 0.0)
        return self.but(b=np.maximum(self.b, np.abs(x)), roots=np.where(new, root, self.roots))

    def commit(self, now, z):
        return now.but(squares=now.squares + (now.in_units(z) / self.eta) ** 2)

    @property
    def growth(self):
        return np.sqrt(self.L**2 + self.squares) * (self.b > 0.0)

    def in_units(self, v):
        return np.divide(v, self.b, out=np.zeros(self.d), where=self.b > 0.0)

    def value(self, u):
        return 0.5 * np.sum(self.roots * (u * self.b) ** 2 * self.growth)

    def gradient(self, theta):
        scale = self.roots * self.growth
        inside = np.divide(self.in_units(theta), scale, out=np.zeros(self.d), where=scale > 0.0)
        return self.in_units(inside)

    def dual_norm(self, z):
        return np.sqrt(z @ self.gradient(z))


class Entropy(F):
    """Σ v·ln v + ln d on {w = total·v} (signed: w = total·(v⁺ − v⁻)), corrected where ``adaptive``."""

    @property
    def strong_convexity(self):
        return 1.0 / self.total**2

    def commit(self, now, z):
        return now.but(squares=now.squares + (self.total * z) ** 2) if self.adaptive else now

    def widen(self, width):
        return self.but(width=width)

    @property
    def drops(self):
        known = self.squares[: self.width]
        return np.concatenate([known, known]) if self.signed else known

    def exponents(self, theta):
        """Those of the coordinates that are known."""
        s = self.total * theta[: self.width]
        return (np.concatenate([s, -s]) if self.signed else s) - self.drops

    def conjugate(self, theta):
        s = self.exponents(theta)
        return np.logaddexp.reduce(s) - np.log(len(s))

    def shares(self, theta):
        s = self.exponents(theta)
        return self.total * np.exp(s - np.logaddexp.reduce(s))

    def gradient(self, theta):
        v, w = self.shares(theta), np.zeros(self.d)
        w[: self.width] = v[: self.width] - v[self.width :] if self.signed else v
        return w

    def sizes(self, w, theta):
        v, both = self.shares(theta), np.zeros(self.d)
        both[: self.width] = v[: self.width] + v[self.width :] if self.signed else v
        # exp takes the rounding of its argument, 1e-16 of it, as a factor: of 1e-6 that is 1e-10.
        return both + self.total * 1e-10 * np.abs(self.exponents(theta)).max(initial=0.0)

    def value(self, u):
        v = u[: self.width] / self.total
        if u[self.width :].any():
            return np.inf
        if self.signed:
            v = self.split(v)
        inside = v > 0.0
        return max(v[inside] @ np.log(v[inside]) + np.log(len(v)), 0.0) + v @ self.drops

    def split(self, v):
        """v⁺ = √(v²/4 + k·e^{−2s}) + v/2 and v⁻ = the same − v/2, with the ln k where they sum to 1."""
        drops = self.squares[: self.width]
        low = np.exp(2.0 * (drops.min() - drops))

        def widths(log_k):
            return 2.0 * np.sqrt(0.25 * v * v + np.exp(log_k) * low)

        if np.abs(v).sum() >= 1.0:
            wide = np.abs(v)
        else:
            wide = widths(brentq(lambda k: widths(k).sum() - 1.0, -700.0, 1.0, xtol=1e-14))
        return np.concatenate([0.5 * (wide + v), 0.5 * (wide - v)])

    def dual_norm(self, z):
        return np.abs(z).max(initial=0.0)


class Timed(F):
    """t^power·g for a g that stays the same; t·F where power is 1."""

    eta = 1.0

    def start(self):
        self.inner = self.inner.begin(self.d)

    def widen(self, width):
        return self.but(inner=self.inner.but(width=width))

    @property
    def scale(self):
        return max(self.t, 1) ** self.power

    @property
    def base_convexity(self):
        return self.inner.strong_convexity

    @property
    def strong_convexity(self):
        return self.scale * self.base_convexity

    def base(self, u):
        return self.inner.value(u)

    def term(self, u):
        return self.base(u) if self.power == 1.0 else 0.0

    def value(self, u):
        return self.scale * self.base(u)

    def conjugate(self, theta):
        return self.scale * self.inner.conjugate(theta / self.scale)

    def gradient(self, theta):
        return self.inner.gradient(theta / self.scale)

    def sizes(self, w, theta):
        return self.inner.sizes(w, theta / self.scale)

    def dual_norm(self, z):
        return self.inner.dual_norm(z)
