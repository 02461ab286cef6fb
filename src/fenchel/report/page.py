"""One page that stands alone: its style is inside, its pictures are SVG, nothing is fetched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fenchel import _version
from fenchel.report.citation import linked, numbered
from fenchel.report.text import escape, slug

STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1rem; color: #222; background: #fff;
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0.5rem 0; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 0.5rem; border-top: 1px solid #ddd; padding-top: 1rem; }
p { max-width: 44rem; margin: 0.6rem 0; }
a { color: #00557f; }
nav ol { columns: 18rem; padding-left: 1.4rem; margin: 0.5rem 0; }
.pictures { display: grid; gap: 1rem; align-items: start; margin: 1rem 0;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); }
figure { margin: 0; max-width: 30rem; }
.large figure { max-width: 44rem; }
figure svg { display: block; width: 100%; height: auto; }
figcaption { font-size: 0.9rem; color: #444; }
.scroll { overflow-x: auto; max-width: 100%; margin: 1rem 0; }
table { border-collapse: collapse; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: #444; padding-bottom: 0.3rem; }
th, td { padding: 0.25rem 0.6rem; text-align: right; border-bottom: 1px solid #e3e3e3;
  overflow-wrap: normal; white-space: nowrap; vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
td.words { white-space: normal; min-width: 12rem; }
.words { text-align: left; }
td.no { color: #9c3600; font-weight: 600; }
code { font-size: 0.92em; }
summary { cursor: pointer; color: #00557f; }
footer { margin-top: 3rem; color: #444; font-size: 0.9rem; }
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav { display: none; }
  a { color: inherit; text-decoration: none; }
  h2 { break-after: avoid; }
  figure, tr { break-inside: avoid; }
  .pictures { grid-template-columns: 1fr 1fr; }
  .scroll { overflow: visible; }
  table, figcaption { font-size: 7.5pt; }
  th, td { padding: 0.1rem 0.3rem; white-space: normal; }
}
"""


class Section(NamedTuple):
    """A heading and what stands below it, as HTML."""

    title: str
    parts: Sequence[str]


def paragraph(text: str) -> str:
    """A paragraph of plain text; what stands between backquotes is code, theorems are links.

    >>> paragraph("run `a < b`")
    '<p>run <code>a &lt; b</code></p>'
    """
    pieces = escape(text, quote=False).split("`")
    said = "".join(f"<code>{p}</code>" if k % 2 else linked(p) for k, p in enumerate(pieces))
    return f"<p>{said}</p>"


WORDS = ' class="words"'


class Words(str):
    """A cell of running text: it may be broken into lines."""


class Bad(str):
    """A cell that is not as it should be."""


def table(caption: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table that scrolls in its own frame where it is too wide."""
    words = [
        bool(rows) and all(isinstance(row[k], Words) for row in rows) for k in range(len(headings))
    ]
    head = "".join(
        f'<th scope="col"{WORDS if of_words else ""}>{escape(heading)}</th>'
        for heading, of_words in zip(headings, words, strict=True)
    )
    body = "\n".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    label = escape(numbered(caption))
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{label}">'
        f"<table><caption>{label}</caption>\n"
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )


def _cell(text: str) -> str:
    kind = {Words: WORDS, Bad: ' class="no"'}.get(type(text), "")
    return f"<td{kind}>{linked(escape(text))}</td>"


def folded(summary: str, content: str) -> str:
    """A part of the page that opens on a click."""
    return f"<details><summary>{escape(numbered(summary))}</summary>\n{content}\n</details>"


def pictures(*drawn: tuple[str, str], large: bool = False) -> str:
    """Pictures side by side where there is room, or ``large``; each an SVG with its caption."""
    figures = "\n".join(
        f"<figure>\n{svg}\n<figcaption>{linked(escape(caption))}</figcaption></figure>"
        for svg, caption in drawn
    )
    return f'<div class="{"large" if large else "pictures"}">\n{figures}\n</div>'


def page(title: str, lead: Sequence[str], sections: Sequence[Section], command: str) -> str:
    """The whole page: ``lead`` are the parts before the list of contents."""
    links = "\n".join(
        f'<li><a href="#{slug(section.title)}">{escape(section.title)}</a></li>'
        for section in sections
    )
    told = "\n".join(
        f'<section id="{slug(section.title)}">\n<h2>{escape(section.title)}</h2>\n'
        + "\n".join(section.parts)
        + "\n</section>"
        for section in sections
    )
    opening = "\n".join(lead)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<link rel="icon" href="data:,">
<style>{STYLE}</style>
</head>
<body>
<main>
<h1>{escape(title)}</h1>
{opening}
<nav aria-label="Contents"><ol>
{links}
</ol></nav>
{told}
</main>
<footer>{paragraph(f"Made with `{command}`, fenchel {_version.__version__}.")}</footer>
</body>
</html>
"""
