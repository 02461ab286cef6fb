"""The picture of the README: measured regret under its bound. ``python docs/pictures.py`` draws it.

Vovk-Azoury-Warmuth on scikit-learn's diabetes data, raw targets: after T rounds, the regret against
the best u in hindsight of those T rounds, and the bound a/2·‖u‖² + Y²/2·Σ x_tᵀA_t⁻¹x_t for the same u.
"""

from pathlib import Path

from fenchel.report.claims import EmbeddedData, forecaster
from fenchel.report.plot import Axis, Series, draw

PICTURE = Path(__file__).parent / "_static" / "regret.svg"
MILLION = 1e6


def picture() -> str:
    """Regret and bound along the stream, as SVG."""
    diabetes = EmbeddedData().numbers()[0]
    regret, bound, _ = forecaster.curves(forecaster.followed(diabetes))
    scaled = [
        Series(one.name, one.x, [value / MILLION for value in one.y]) for one in (regret, bound)
    ]
    title = "Measured regret of Vovk-Azoury-Warmuth stays under its proven bound"
    return draw(title, Axis("rounds", log=True), Axis("half squared loss, millions"), scaled)


if __name__ == "__main__":
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(picture() + "\n", encoding="utf-8")
    print(PICTURE)
