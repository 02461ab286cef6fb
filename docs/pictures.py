"""The picture of the README: measured regret under its bound. ``python docs/pictures.py`` draws it.

Vovk-Azoury-Warmuth on scikit-learn's diabetes data, raw targets: after T rounds, the regret against
the best u in hindsight of those T rounds, and the bound a/2·‖u‖² + Y²/2·Σ x_tᵀA_t⁻¹x_t for the same u.
"""

from pathlib import Path

import numpy as np
from sklearn.datasets import load_diabetes

from fenchel import learners

PICTURE = Path(__file__).parent / "_static" / "regret.svg"
WIDTH, HEIGHT, LEFT, RIGHT, BOTTOM = 720, 360, 90, 140, 60
# Colours that stay apart for colour-blind eyes (Okabe and Ito).
BLUE, ORANGE = "#0072B2", "#D55E00"


def curves():
    """Rounds, measured regret and bound at each of them."""
    X, y = load_diabetes(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    X, y = 10.0 * X[order], y[order]
    margins = learners.vovk_azoury_warmuth(a=1.0).learn_many(X, y)
    rows = np.column_stack([np.ones(len(y)), X])
    A, spread = np.eye(rows.shape[1]), 0.0
    rounds, regret, bound = [], [], []
    for t in range(len(y)):
        A += np.outer(rows[t], rows[t])
        spread += rows[t] @ np.linalg.solve(A, rows[t])
        if t < 9:
            continue
        seen, targets = rows[: t + 1], y[: t + 1]
        u = np.linalg.solve(seen.T @ seen + np.eye(seen.shape[1]), seen.T @ targets)
        ours = 0.5 * np.sum((targets - margins[: t + 1]) ** 2)
        rounds.append(t + 1)
        regret.append(ours - 0.5 * np.sum((targets - seen @ u) ** 2))
        bound.append(0.5 * u @ u + 0.5 * np.max(np.abs(targets)) ** 2 * spread)
    return np.array(rounds), np.array(regret), np.array(bound)


def draw(rounds, regret, bound) -> str:
    """The two curves as SVG: rounds on a logarithmic axis, squared loss on a linear one."""
    top = bound.max() * 1.08
    low, high = np.log(rounds[0]), np.log(rounds[-1])

    def x(t):
        return LEFT + (np.log(t) - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    def y(value):
        return HEIGHT - BOTTOM - value / top * (HEIGHT - BOTTOM - 30)

    def line(values, colour, dash=""):
        points = " ".join(f"{x(t):.1f},{y(v):.1f}" for t, v in zip(rounds, values, strict=True))
        return (
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.5" {dash}/>'
        )

    def text(px, py, words, anchor="middle", colour="#333"):
        return (
            f'<text x="{px:.0f}" y="{py:.0f}" text-anchor="{anchor}" fill="{colour}">{words}</text>'
        )

    pieces = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'font-family="sans-serif" font-size="14">',
        "<title>Measured regret of Vovk-Azoury-Warmuth stays under its proven bound</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<path d="M{LEFT} 20V{HEIGHT - BOTTOM}H{WIDTH - RIGHT + 10}" fill="none" stroke="#888"/>',
    ]
    pieces += [text(x(t), HEIGHT - BOTTOM + 20, t) for t in (10, 20, 50, 100, 200, 400)]
    step = 10 ** np.floor(np.log10(top / 2))
    ticks = np.arange(0, top, step * np.ceil(top / step / 5))
    pieces += [text(LEFT - 8, y(v) + 5, f"{v / 1e6:.1f}", "end") for v in ticks]
    pieces += [
        text(WIDTH / 2 - 20, HEIGHT - 14, "rounds (logarithmic)"),
        f'<text transform="translate(24 {HEIGHT / 2 - 20}) rotate(-90)" text-anchor="middle" '
        'fill="#333">squared loss, millions</text>',
        line(bound, ORANGE, 'stroke-dasharray="7 4"'),
        line(regret, BLUE),
        text(x(rounds[-1]) + 8, y(bound[-1]) + 5, "proven bound", "start", ORANGE),
        text(x(rounds[-1]) + 8, y(regret[-1]) + 5, "measured regret", "start", BLUE),
        "</svg>",
    ]
    return "\n".join(pieces) + "\n"


if __name__ == "__main__":
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(draw(*curves()), encoding="utf-8")
    print(PICTURE)
