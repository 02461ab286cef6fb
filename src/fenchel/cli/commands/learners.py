"""``fenchel learners``: the catalogue on a page."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from functools import partial
from inspect import Parameter
from typing import Any

import click

from fenchel.cli.results import write_json
from fenchel.learners import CATALOGUE, NESTED
from fenchel.learners.catalogue import Entry, parameters_of, similar_names
from fenchel.learners.registry import DEFAULTS
from fenchel.learners.specification import format_specification

WIDTH = 80
LABEL = 12
MIXERS = ("auto", *NESTED)
GROUPS: dict[str, Callable[[str, Entry], bool]] = {
    "Two classes": lambda name, entry: entry.tasks == ("binary",),
    "Classes or numbers": lambda name, entry: len(entry.tasks) > 1 and name not in MIXERS,
    "Numbers": lambda name, entry: entry.tasks == ("regression",),
    "Several tasks": lambda name, entry: entry.tasks == ("multitask",),
    "Several learners as one": lambda name, entry: name in MIXERS,
}
BOLD = partial(click.style, bold=True)


def learners(names: tuple[str, ...], json_file: str | None) -> None:
    """Run the command."""
    for name in names:
        if name not in CATALOGUE:
            hint = similar_names(name) or "see `fenchel learners`."
            raise click.UsageError(f"There is no learner {name!r}: {hint}")
    if json_file:
        write_json(json_file, [_as_json(name, CATALOGUE[name]) for name in names or CATALOGUE])
        return
    if names:
        click.echo("\n\n".join(_page(name, CATALOGUE[name]) for name in names))
        return
    pages = [page for title, wanted in GROUPS.items() for page in _group(title, wanted)]
    click.echo_via_pager("\n\n".join([*pages, _closing()]) + "\n")


def _group(title: str, wanted: Callable[[str, Entry], bool]) -> list[str]:
    """Lay out a heading, and the learners of a group in the order of their names."""
    found = [_page(name, entry) for name, entry in sorted(CATALOGUE.items()) if wanted(name, entry)]
    return [f"{title}\n{'─' * len(title)}", *found] if found else []


def _own(name: str) -> dict[str, Any]:
    """Return the learner's own parameters; those of every learner are listed once, at the end."""
    return {key: value for key, value in parameters_of(name).items() if key not in DEFAULTS}


def _as_json(name: str, entry: Entry) -> dict[str, Any]:
    parameters = {key: _plain(value) for key, value in _own(name).items()}
    return {
        "name": name,
        "summary": _summary(entry),
        "tasks": list(entry.tasks),
        "parts": entry.parts,
        "parameters": parameters,
        "equation": entry.equation,
        "theorem": entry.theorem,
        "cost": entry.cost,
    }


def _plain(value: Any) -> Any:
    return value if isinstance(value, (bool, int, float, str, type(None))) else None


def _page(name: str, entry: Entry) -> str:
    own = {key: value for key, value in _own(name).items() if value is not None}
    given = {key: value for key, value in own.items() if value is not Parameter.empty}
    defaults = format_specification("", given)[1:].split(",") if given else []
    needed = [f"{key} (needed)" for key in own if key not in given]
    facts = {
        "for": ", ".join(entry.tasks),
        "parts": entry.parts,
        "parameters": ", ".join([*needed, *defaults]) or "none",
        "equation": entry.equation,
        "theorem": entry.theorem,
        "a round": entry.cost,
    }
    head = textwrap.fill(f"{name}: {_summary(entry)}", WIDTH).replace(name, BOLD(name), 1)
    return "\n".join([head, *(_fact(key, value) for key, value in facts.items())])


def _summary(entry: Entry) -> str:
    """Return the first sentence of the learner's description."""
    first = (entry.build.__doc__ or "").strip().split("\n\n")[0]
    return " ".join(first.split())


def _fact(name: str, value: str) -> str:
    return textwrap.fill(
        value,
        WIDTH,
        initial_indent=f"  {name:<{LABEL}}",
        subsequent_indent=" " * (LABEL + 2),
        break_long_words=False,
    )


def _closing() -> str:
    switches = {key: value for key, value in DEFAULTS.items() if isinstance(value, bool)}
    common = format_specification("", switches)[1:].replace(",", ", ")
    return textwrap.fill(
        f"Parameters are given as name:key=value,…, such as arow:r=0.1. Every learner of three "
        f"parts also takes {common}. Several classes: one learner for each, against the "
        "rest.",
        WIDTH,
    )
