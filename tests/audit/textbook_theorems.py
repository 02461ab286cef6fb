"""Both sides of every inequality, from the rounds of a run: {name: (run, u) → (left, right)}."""

from math import fsum

import numpy as np

from audit.textbook_losses import VALUES

STATEMENTS = {}


def states(name):
    def kept(sides):
        STATEMENTS[name] = sides
        return sides

    return kept


def regret(run, u):
    """Σ (ℓ_t + F)(w_t) − Σ (ℓ_t + F)(u)."""
    return run.loss + run.terms - run.loss_of(u) - len(run.y) * run.end.term(u)


def growing(run, u):
    """g_T(u) = f_T(u) − η·t·F(u)."""
    eta = getattr(run.end, "eta", 1.0)
    return run.end.value(u) - eta * (run.end.t - run.end.lag) * run.end.term(u)


@states("Lemma 1, general")
def _(run, u):
    if run.end.quadratic:
        return run.descent.theta @ u - run.pairs, run.end.value(u) + run.progress
    return run.descent.certificate(u)[:2]  # mirror.py's own


@states("Lemma 1, eq. (residue)")
def _(run, u):
    if type(run.end).__name__ == "Still" or type(run.end).__name__ == "PNorm":
        nothing = run.end.conjugate(0.0 * u)
        return nothing, nothing
    return fsum(run.heights), run.drops


@states("Corollary 1, from Lemma 1")
def _(run, u):
    bound = (growing(run, u) + run.progress) / run.book.eta
    return regret(run, u), bound + run.terms - run.end.lag * run.end.term(u)


@states("Corollary 1, eq. (composite_bound)")
def _(run, u):
    bound = (growing(run, u) + run.steps) / run.book.eta
    if run.end.lag:
        bound += run.end.term(run.w[0]) - run.end.term(u)
    return regret(run, u), bound


@states("AdaGrad, Duchi et al.")
def _(run, u):
    eta = run.book.eta
    slopes = run.c[:, None] * run.X / eta
    return regret(run, u), growing(run, u) / eta + eta * np.sqrt((slopes**2).sum(axis=0)).sum()


def steepest(run, norm):
    return max((abs(c) * norm(x) for c, x in zip(run.c, run.X, strict=True)), default=0.0)


@states("Corollary 1, eq. (tuned-bound)")
def _(run, u):
    eta, f = run.book.eta, run.end
    most = steepest(run, f.dual_norm) / eta
    g, beta = (f.base(u), f.base_convexity) if hasattr(f, "base") else (0.5 * u @ u, 1.0)
    return regret(run, u), np.sqrt(len(run.y)) * (g / eta + eta * most**2 / beta)


@states("Corollary 1, eq. (log-bound)")
def _(run, u):
    beta = run.end.base_convexity if hasattr(run.end, "base") else run.end.l2
    most = steepest(run, run.end.dual_norm) ** 2
    return regret(run, u), most * (1.0 + np.log(len(run.y))) / (2.0 * beta)


@states("Adaptive exponentiated gradient, general")
def _(run, u):
    return run.descent.theta @ u - run.pairs, run.end.value(u)


@states("Adaptive exponentiated gradient, Steinhardt & Liang")
def _(run, u):
    return run.loss - run.loss_of(u), run.end.value(u) / run.book.eta


@states("Implicit updates, Campolongo & Orabona")
def _(run, u):
    after = VALUES[run.book.loss](run.m + run.c * (run.X**2).sum(axis=1), run.y)
    steps = fsum(run.c**2 * (run.X**2).sum(axis=1))
    bound = (u @ u - steps) / (2.0 * run.book.eta) + run.loss - fsum(run.h * after)
    return run.loss - run.loss_of(u), bound


@states("Frequent directions, sum")
def _(run, u):
    return run.loss - run.loss_of(u), run.bound(u, fsum(run.steps))


@states("Frequent directions, log-determinant")
def _(run, u):
    a, m = run.book.a, run.book.rank
    steps = np.linalg.slogdet(np.eye(len(run.S)) + run.S / a)[1] + m * run.tail / a
    return run.loss - run.loss_of(u), run.bound(u, steps)


# ── Section 4 ──


def apart(run, u):
    return fsum(run.h * (run.m - run.X @ u) ** 2)


@states("Adaptive filtering, Section 4")
def _(run, u):
    still = type(run.end).__name__ == "Still"
    size = u @ u / run.book.eta if still else 2.0 * run.end.value(u)
    return apart(run, u), size + fsum(run.h * (run.y - run.X @ u) ** 2)


@states("Vovk-Azoury-Warmuth, from Lemma 1")
def _(run, u):
    predicted = run.X @ u
    bound = run.end.value(u) + run.progress - 0.5 * fsum(run.h * predicted**2)
    return run.loss - run.loss_of(u), bound + 0.5 * fsum(run.h * run.m**2)


def highest(run):
    return max(run.h * run.y**2, default=0.0)


@states("Vovk-Azoury-Warmuth, sum")
def _(run, u):
    spread = fsum(run.h[t] * run.square(t) for t in range(len(run.y)))
    return run.loss - run.loss_of(u), 0.5 * run.end.a * u @ u + 0.5 * highest(run) * spread


@states("Vovk-Azoury-Warmuth, log-determinant")
def _(run, u):
    a = run.end.a
    volume = fsum(np.log(np.linalg.eigvalsh(run.end.A) / a))
    return run.loss - run.loss_of(u), 0.5 * a * u @ u + 0.5 * highest(run) * volume


# ── Section 5 ──


@states("Theorem 1, first bound, with β_{T+1}")
def _(run, u):
    eta, reach = run.book.eta, np.abs(u) @ np.abs(run.X).max(axis=0)
    return run.loss - run.loss_of(u), run.end.beta * (reach**2 / (2.0 * eta) + eta)


@states("Theorem 1, first bound")
def _(run, u):
    eta, reach = run.book.eta, np.abs(u) @ np.abs(run.X).max(axis=0)
    longest = np.count_nonzero(run.X, axis=1).max()
    grow = np.sqrt(np.e * (len(run.y) + 1.0) * (max(2.0, 2.0 * np.log(max(longest, 1))) - 1.0))
    return run.loss - run.loss_of(u), run.end.L * grow * (reach**2 / (2.0 * eta) + eta)


def reaches(run, u):
    """u_i·b_i of the features seen, √d_i, and √(L² + Σ (ℓ′/b)²)."""
    f, seen = run.end, run.end.b > 0.0
    return (u * f.b)[seen], f.roots[seen], f.growth[seen]


@states("Theorem 1, eq. (tocompare)")
def _(run, u):
    v, root, growth = reaches(run, u)
    eta = run.book.eta
    return run.loss - run.loss_of(u), fsum(growth * (root / (2.0 * eta) * v**2 + eta / root))


@states("Theorem 1, second bound")
def _(run, u):
    v, root, _ = reaches(run, u)
    eta, grow = run.book.eta, run.end.L * np.sqrt(len(run.y) + 1.0)
    bound = grow * (fsum(root * v**2) / (2.0 * eta) + eta * fsum(1.0 / root))
    return run.loss - run.loss_of(u), bound


@states("Theorem 1, tuned to a box")
def _(run, u):
    _, root, growth = reaches(run, u)
    return run.loss - run.loss_of(u), 2.0 * run.book.eta * fsum(growth / root)


# ── Section 6 ──


def inner(run):
    """B + Σ (η_t²/(2β_t)·‖ℓ′_t‖² − η_t·⟨w_t, ℓ′_t⟩)."""
    return run.progress + run.pairs


@states("Hinge lemma, eq. (pre-mb), λ = 1")
def _(run, u):
    eta = np.abs(run.c)
    return fsum(eta), run.loss_of(u, eta) + run.end.value(u) + inner(run)


@states("Hinge lemma, best λ")
def _(run, u):
    eta = np.abs(run.c)
    root = np.sqrt(run.end.value(u) * max(inner(run), 0.0))
    return fsum(eta), run.loss_of(u, eta) + 2.0 * root


def corollary_2(run, u):
    """L(u), k = X_T·√(2f(u)/β), D′ and Σ_U η_t."""
    f = run.end
    beta, over = f.strong_convexity, run.margin_errors
    eta = np.abs(run.c)
    lengths = np.array([f.dual_norm(run.X[t]) for t in over])
    gain = (eta[over] * lengths) ** 2 + 2.0 * beta * eta[over] * (run.y * run.m)[over]
    excess = fsum(gain / run.levels[over] ** 2 - eta[over])
    k = run.level * np.sqrt(2.0 * f.value(u) / beta)
    return run.loss_of(u), k, excess, fsum(eta[over])


@states("Corollary 2, eq. (gen_aggr_bound2)")
def _(run, u):
    loss, k, excess, over = corollary_2(run, u)
    root = np.sqrt(max(0.25 * k * k + loss + excess, 0.0))
    return run.mistakes, loss + 0.5 * k * k + k * root - over


@states("Corollary 2, closing form, corrected")
def _(run, u):
    loss, k, excess, over = corollary_2(run, u)
    return run.mistakes, loss + max(excess, 0.0) - over + k * k + k * np.sqrt(loss)


@states("Corollary 2, closing form, as printed")
def _(run, u):
    loss, k, excess, over = corollary_2(run, u)
    return run.mistakes, loss + excess - over + k * k + k * np.sqrt(loss)


def ahead(run, t):
    """A_{t−1}, χ_t and m_t = θ_tᵀA_{t−1}⁻¹x_t."""
    x, past = run.X[t], run.f[t].A - np.outer(run.X[t], run.X[t]) / run.end.r
    solved = np.linalg.solve(past, x)
    return solved @ x, solved @ run.theta[t]


@states("Second-order bound, Section 6.2, first line")
def _(run, u):
    total = []
    for t in run.updates:
        chi, m = ahead(run, t)
        total.append(run.square(t) + 2.0 * run.y[t] * run.m[t] - m * m / (run.end.r + chi))
    wide = np.sqrt(u @ run.end.A @ u)
    return len(run.updates), run.loss_of(u) + wide * np.sqrt(max(fsum(total), 0.0))


def wide(run, u):
    """√(r‖u‖² + Σ⟨u, x_t⟩²) over updates, and ln|A_T|."""
    reach = run.end.r * u @ u + fsum((run.X[run.updates] @ u) ** 2)
    return np.sqrt(reach), fsum(np.log(np.linalg.eigvalsh(run.end.A)))


@states("Second-order bound, Section 6.2")
def _(run, u):
    r, reach, volume = run.end.r, *wide(run, u)
    total = []
    for t in run.updates:
        chi, m = ahead(run, t)
        total.append(m * (2.0 * r * run.y[t] - m) / (r * (r + chi)))
    return len(run.updates), run.loss_of(u) + reach * np.sqrt(max(volume + fsum(total), 0.0))


@states("Second-order bound, as known for AROW")
def _(run, u):
    reach, volume = wide(run, u)
    root = np.sqrt(max(volume + len(run.margin_errors), 0.0))
    return len(run.updates), run.loss_of(u) + reach * root


@states("AROW, Crammer, Kulesza & Dredze")
def _(run, u):
    reach, volume = wide(run, u)
    root = np.sqrt(max(volume + len(run.margin_errors), 0.0))
    return len(run.updates), run.loss_of(u, (run.c != 0.0).astype(float)) + reach * root


def counts(run):
    """Σ_t x²_{t,i} over updates."""
    return (run.X[run.updates] ** 2).sum(axis=0)


@states("Diagonal bound, eq. (diag-bound)")
def _(run, u):
    r, seen = run.end.r, counts(run)
    reach = np.sqrt(u @ u + (u * u) @ seen / r)
    spread = r * fsum(np.log1p(seen / r)) + 2.0 * len(run.margin_errors)
    return len(run.updates), run.loss_of(u) + reach * np.sqrt(spread)


@states("Rare-feature bound, Section 6.3")
def _(run, u):
    r, d, size, level = run.end.r, len(u), u @ u, run.level**2
    often = r + ((u * u) @ counts(run) / size if size else 0.0)
    inside = np.sqrt(8.0) * size * often * level**2 / (np.e * d * r * r)
    inside += 2.0 * run.loss_of(u) * level / (d * r) + 2.0
    return len(run.updates), run.loss_of(u) + np.sqrt(size * often * d * np.log(inside))


def normalized_sides(loss, eta, X, y, h, u):
    """Eq. (lang) on Algorithm 2 of Ross, Mineiro & Langford, which is not mirror descent."""
    from audit.textbook_losses import SLOPES

    w, b, G, firsts = np.zeros((4, X.shape[1]))
    N, left, right = 0.0, [], []
    for t, (x, target, weight) in enumerate(zip(X, y, h, strict=True), 1):
        size = np.abs(x)
        up = size > b
        w[up] *= b[up] / size[up]
        b = np.maximum(b, size)
        firsts = np.where(firsts == 0.0, size, firsts)
        m = float(w @ x)
        left.append(weight * VALUES[loss](m, target))
        right.append(weight * VALUES[loss](x @ u, target))
        g = weight * SLOPES[loss](m, target) * x
        on = x != 0.0
        N += fsum((x[on] / b[on]) ** 2)
        G += g * g
        on &= G > 0.0
        if N > 0.0:
            w[on] -= eta * np.sqrt(t / N) * g[on] / (b[on] * np.sqrt(G[on]))
    on = b > 0.0
    delta = b[on] / firsts[on]
    each = (1.0 + 6.0 * delta + delta**2) / b[on] * np.sqrt(G[on])
    return fsum(left) - fsum(right), eta / np.sqrt(2.0) / (2.0 * np.sqrt(2.0)) * fsum(each)


LANG = "Normalized adaptive gradient, eq. (lang)"
