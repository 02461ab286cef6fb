"""Each learner as the paper writes it: a loss, an f_t, and the c_t of z_t = c_t·x_t."""

from typing import Any, NamedTuple

from audit import textbook_regularizers as of
from audit.textbook_losses import SLOPES, lipschitz


class Book(NamedTuple):
    """A learner; ``eta`` is that of z_t = −η·ℓ′_t, None where z_t is something else."""

    loss: str
    f: Any
    step: Any
    eta: float | None = None


class SketchBook(NamedTuple):
    """The online Newton step with its matrix by so many rows."""

    eta: float
    rank: int
    a: float
    loss: str


class Round(NamedTuple):
    """What a step may look at: x_t, y_t, importance, the margin, f_t and the largest ‖x‖_* so far."""

    x: Any
    y: float
    h: float
    m: float
    f: Any
    level: float


def subgradient(loss, eta):
    return lambda r: float(-eta * r.h * SLOPES[loss](r.m, r.y))


def on_mistakes(r):
    return r.h * r.y if r.y * r.m <= 0.0 else 0.0


def aggressive(eta):
    return lambda r: eta * r.h * r.y if r.y * r.m < 1.0 else 0.0


def passive_aggressive(C):
    def step(r):
        loss = 1.0 - r.y * r.m
        if loss <= 0.0 or not r.x.any():
            return 0.0
        return r.y * min(C * r.h, loss / (r.x @ r.x))

    return step


def tuned(r):
    """The η_t that makes D least."""
    if r.y * r.m >= 1.0 or not r.x.any():
        return 0.0
    eta = (r.level**2 - r.f.strong_convexity * r.y * r.m) / r.f.dual_norm(r.x) ** 2
    return r.h * r.y * min(max(eta, 0.0), 1.0)


def implicit(loss, eta):
    """m′ = m − η·h·‖x‖²·ℓ′(m′): the step whose margin is the one after it, by bisection."""

    def step(r):
        square = eta * r.h * (r.x @ r.x)
        if square == 0.0:
            return 0.0
        return float(-(r.m - after(loss, r.m, r.y, square)) / (r.x @ r.x))

    return step


def after(loss, m, y, square):
    """argmin over p of ℓ(p, y) + (p − m)²/(2·square), the root of a function that only grows."""
    slope = float(SLOPES[loss](m, y))
    low, high = sorted((m, m - square * slope))
    for _ in range(200):
        p = 0.5 * (low + high)
        if p - m + square * float(SLOPES[loss](p, y)) > 0.0:
            high = p
        else:
            low = p
    return 0.5 * (low + high)


def residual(eta):
    return lambda r: eta * r.h * (r.y - r.m)


def normalized(eta):
    return lambda r: eta * r.h * (r.y - r.m) / (r.x @ r.x) if r.x.any() else 0.0


def of_subgradients(loss, eta, f):
    return Book(loss, f, subgradient(loss, eta), eta)


def second_order(step, diagonal=True, **rest):
    return Book("hinge", (of.Diagonal if diagonal else of.Full)(**rest), step)


def gradient_descent(eta=1.0, schedule="sqrt", loss="hinge", domain=("whole",)):
    f = of.Rooted(eta=eta, domain=domain) if schedule == "sqrt" else of.Still(domain=domain)
    return of_subgradients(loss, eta, f)


def arow(r=1.0, diagonal=True, form="mirror"):
    if form == "original":
        book = second_order(aggressive(1.0 / r), False, r=r, past=True)
        return book._replace(eta=1.0 / r)
    return second_order(aggressive(1.0), diagonal, r=r)._replace(eta=1.0)


def timed(inner, power, eta, loss):
    kind, *numbers = inner
    g = of.PNorm(p=numbers[0]) if kind == "p_norm" else entropy(*numbers)
    return of_subgradients(loss, eta, of.Timed(inner=g, power=power))


def entropy(total, signed):
    return of.Entropy(total=total, signed=signed, adaptive=False)


BOOKS = {
    "sketched_newton": lambda sketch, **rest: SketchBook(**rest),
    "timed": timed,
    "implicit": lambda eta, loss: Book(loss, of.Still(), implicit(loss, eta), eta),
    "perceptron": lambda: Book("hinge", of.Still(), on_mistakes),
    "p_norm_perceptron": lambda p: Book("hinge", of.PNorm(p=p), on_mistakes),
    "passive_aggressive": lambda C: Book("hinge", of.Still(), passive_aggressive(C)),
    "tuned_aggressive": lambda p: Book("hinge", of.PNorm(p=p), tuned),
    "winnow": lambda eta: Book(
        "hinge",
        of.Entropy(total=10.0, signed=True, adaptive=False),
        lambda r: eta / 10.0 * on_mistakes(r),
    ),
    "gradient_descent": gradient_descent,
    "dual_averaging": lambda eta, l1, l2, loss, indexing: of_subgradients(
        loss, eta, of.Rooted(eta=eta, l1=l1, l2=l2, lag=float(indexing == "xiao"))
    ),
    "strongly_convex": lambda l2, l1, loss: of_subgradients(
        loss, 1.0, of.Rooted(eta=1.0, l1=l1, l2=l2, root=0.0)
    ),
    "exponentiated_gradient": lambda eta, loss, **rest: of_subgradients(
        loss, eta, of.Entropy(**rest)
    ),
    "adagrad": lambda eta, loss, **rest: of_subgradients(loss, eta, of.Adaptive(eta=eta, **rest)),
    "scale_invariant_p_norm": lambda eta, loss: of_subgradients(
        loss, eta, of.InvariantPNorm(eta=eta, L=lipschitz(loss))
    ),
    "scale_invariant_adagrad": lambda eta, loss, sqrt_d: of_subgradients(
        loss, eta, of.InvariantAdaGrad(eta=eta, L=lipschitz(loss), sqrt_d=sqrt_d)
    ),
    "second_order_perceptron": lambda **rest: second_order(on_mistakes, **rest),
    "arow": arow,
    "vovk_azoury_warmuth": lambda a, diagonal: Book(
        "squared",
        (of.Diagonal if diagonal else of.Full)(a=a, r=1.0, always=True),
        lambda r: r.h * r.y,
    ),
    "recursive_least_squares": lambda a: Book(
        "squared", of.Full(a=a, r=1.0, always=True, past=True), lambda r: r.h * r.y
    ),
    "p_norm_lms": lambda p: Book("squared", of.Levelled(p=p), residual(1.0), 1.0),
    "lms": lambda eta: Book("squared", of.Still(), residual(eta), eta),
    "normalized_lms": lambda eta: Book("squared", of.Still(), normalized(eta)),
}
