"""The picture of the architecture: ``python docs/architecture_picture.py`` draws it.

360 units wide like every picture here, so that on a telephone a letter is as large as on paper.
"""

from pathlib import Path
from typing import NamedTuple

from fenchel.report.plot import COLOURS, SHOWN, WIDTH
from fenchel.report.text import escape

PICTURE = Path(__file__).parent / "_static" / "architecture.svg"
HEIGHT = 716
ROWS, SUMS, STATE = COLOURS[0], COLOURS[2], COLOURS[1]
DASHES = {ROWS: "", SUMS: "6 3", STATE: "2 2.5"}
PLAIN, COMPILED = "#fff", "#eaf3fa"
TITLE = "The rooms of fenchel and what flows between them"
ABOUT = (
    "A file comes through cli and streams, which ask schema what its columns are, a dict through "
    "schema, an array through estimators: all become blocks of rows. evaluate predicts, scores and "
    "learns them by learners, whose engine hands them to the compiled loops. These ask losses, "
    "regularizers and rules by verbs. State goes to models, the sums of a run to certificates, and "
    "certificates to report. parts, _numba and mirror.py lie below. serve and client bring rows over "
    "the network, live from brokers and growing files; cluster learns shards, export takes models "
    "elsewhere, tracking to MLflow."
)


class Box(NamedTuple):
    """A room, its place, and a few words."""

    name: str
    x: float
    y: float
    width: float
    height: float
    words: tuple[str, ...] = ()
    fill: str = PLAIN


class Flow(NamedTuple):
    """An arrow along corners: with two heads, or its words before it, where asked."""

    points: tuple[tuple[float, float], ...]
    colour: str = ROWS
    words: str = ""
    both: bool = False
    before: bool = False


INPUTS = (("file, pipe", 62), ("dict", 180), ("array, frame", 298))
ROOMS = (
    Box("cli", 8, 52, 108, 42, ("commands, options",)),
    Box("estimators", 244, 52, 108, 42, ("scikit-learn, River",)),
    Box("streams", 8, 114, 108, 42, ("readers, by format",), COMPILED),
    Box("schema", 126, 114, 108, 42, ("columns to features",)),
    Box("rows", 8, 178, 344, 40, ("blocks of rows, sparse or dense",)),
    Box("evaluate", 8, 240, 108, 42, ("predict, score, learn",)),
    Box("learners", 8, 304, 226, 54, ("Learner: names to columns, labels to", "numbers; an Engine inside")),
    Box("models", 270, 304, 82, 54, ("one safe file",)),
    Box("loops", 8, 384, 226, 54, ("learn_rows: look, margin,", "coefficient, commit"), COMPILED),
    Box("certificates", 270, 384, 82, 54, ("theorems and", "their needs")),
    Box("losses", 8, 470, 62, 42, ("ℓ, ℓ′",), COMPILED),
    Box("regularizers", 77, 470, 92, 42, ("f_t, ∇f_t*",), COMPILED),
    Box("rules", 176, 470, 58, 42, ("c_t",), COMPILED),
    Box("report", 270, 470, 82, 42, ("pages",)),
    Box("parts", 8, 536, 108, 42, ("NamedTuples, state",)),
    Box("_numba", 126, 536, 108, 42, ("verbs, compiler",)),
    Box("mirror.py", 244, 536, 108, 42, ("the oracle in NumPy",)),
    Box("serve", 8, 612, 108, 42, ("HTTP, lines, a log",)),
    Box("client", 126, 612, 108, 42, ("talks to serve",)),
    Box("export", 244, 612, 108, 42, ("ONNX, SQL, C, …",)),
    Box("live", 8, 664, 108, 42, ("brokers, exactly once",)),
    Box("cluster", 126, 664, 108, 42, ("shards, merged",)),
    Box("tracking", 244, 664, 108, 42, ("MLflow",)),
)  # fmt: skip
FLOWS = (
    Flow(((62, 32), (62, 52))),
    Flow(((62, 94), (62, 114))),
    Flow(((62, 156), (62, 178))),
    Flow(((180, 32), (180, 114)), words="learn_one"),
    Flow(((180, 156), (180, 178))),
    Flow(((116, 135), (126, 135)), both=True),
    Flow(((298, 32), (298, 52))),
    Flow(((298, 94), (298, 178)), words="learn_many", before=True),
    Flow(((62, 218), (62, 240))),
    Flow(((62, 282), (62, 304)), words="learn_block"),
    Flow(((180, 218), (180, 304))),
    Flow(((62, 358), (62, 384)), words="rows, targets"),
    Flow(((234, 331), (270, 331)), STATE, both=True),
    Flow(((234, 411), (270, 411)), SUMS),
    Flow(((311, 438), (311, 470)), SUMS),
    Flow(((39, 438), (39, 470)), STATE, both=True),
    Flow(((123, 438), (123, 470)), STATE, "verbs", both=True),
    Flow(((205, 438), (205, 470)), STATE, both=True),
)
LEGEND = ((ROWS, "rows", 8), (STATE, "state", 76), (SUMS, "sums, certificates", 148))


def text(x: float, y: float, words: str, more: str = 'text-anchor="middle"') -> str:
    """Words at a place."""
    return f'<text x="{x:g}" y="{y:g}" {more} fill="#222">{escape(words)}</text>'


def box(one: Box) -> list[str]:
    """A room: its name, and the words below."""
    middle, top = one.x + one.width / 2, one.y + 17
    place = f'x="{one.x:g}" y="{one.y:g}" width="{one.width:g}" height="{one.height:g}"'
    return [
        f'<rect {place} rx="4" fill="{one.fill}" stroke="#777"/>',
        text(middle, top, one.name, 'text-anchor="middle" font-weight="bold"'),
        *(text(middle, top + 15 + 13 * k, words) for k, words in enumerate(one.words)),
    ]


def head(tip: tuple[float, float], before: tuple[float, float], colour: str) -> str:
    """The head of an arrow that comes from ``before``."""
    dx, dy = (float(a > b) - float(a < b) for a, b in zip(tip, before, strict=True))
    x, y = tip[0] - 6 * dx, tip[1] - 6 * dy
    corners = (
        f"{tip[0]:g},{tip[1]:g} {x + 3.5 * dy:g},{y + 3.5 * dx:g} {x - 3.5 * dy:g},{y - 3.5 * dx:g}"
    )
    return f'<polygon points="{corners}" fill="{colour}"/>'


def flow(one: Flow) -> list[str]:
    """A line with its heads, and its words beside the middle."""
    points = " ".join(f"{x:g},{y:g}" for x, y in one.points)
    dash = f' stroke-dasharray="{DASHES[one.colour]}"' if DASHES[one.colour] else ""
    line = (
        f'<polyline points="{points}" fill="none" stroke="{one.colour}" stroke-width="1.6"{dash}/>'
    )
    heads = [head(one.points[-1], one.points[-2], one.colour)]
    if one.both:
        heads.append(head(one.points[0], one.points[1], one.colour))
    (x, above), (_, below) = one.points[0], one.points[-1]
    aside, more = (-6, 'text-anchor="end"') if one.before else (6, "")
    words = text(x + aside, (above + below) / 2 + 4, one.words, more) if one.words else ""
    return [line, *heads, *filter(None, [words])]


def entry(words: str, x: float) -> list[str]:
    """Something that users bring."""
    pill = f'<rect x="{x - 54:g}" y="8" width="108" height="24" rx="12" fill="#f3f3f3"/>'
    return [pill, text(x, 24, words)]


def legend(colour: str, words: str, x: float) -> list[str]:
    """A line of this kind, and what it carries."""
    dash = f' stroke-dasharray="{DASHES[colour]}"' if DASHES[colour] else ""
    line = f'<path d="M{x:g} 594h22" stroke="{colour}" stroke-width="1.6"{dash}/>'
    return [line, text(x + 27, 598, words, "")]


def picture() -> str:
    """The whole as SVG."""
    compiled = (
        f'<rect x="272" y="587" width="16" height="13" rx="3" fill="{COMPILED}" stroke="#777"/>'
    )
    pieces = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{SHOWN}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'role="img" aria-labelledby="rooms-t rooms-d" font-family="sans-serif" font-size="11">',
        f'<title id="rooms-t">{escape(TITLE)}</title>',
        f'<desc id="rooms-d">{escape(ABOUT)}</desc>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        *(piece for words, x in INPUTS for piece in entry(words, x)),
        *(piece for one in ROOMS for piece in box(one)),
        *(piece for one in FLOWS for piece in flow(one)),
        *(piece for one in LEGEND for piece in legend(*one)),
        *(compiled, text(293, 598, "compiled", "")),
        "</svg>",
    ]
    return "\n".join(pieces)


if __name__ == "__main__":
    PICTURE.write_text(picture() + "\n", encoding="utf-8")
    print(PICTURE)
