"""``fenchel reproduce``: the claims of the paper, measured."""

from __future__ import annotations

from pathlib import Path

import click

from fenchel.certificates.tables import text_table
from fenchel.cli.errors import RefusedError
from fenchel.cli.output import announce_compiling, say
from fenchel.report import reproduce as claims


def reproduce(data: str | None, output: str, quiet: bool) -> None:
    """Run the command."""
    if data is not None and not Path(data).is_dir():
        raise RefusedError(f"{data}: there is no such folder; leave --data out for embedded data")
    announce_compiling(quiet)
    source = claims.source_of(data)
    found = []
    for one in claims.measured(source):
        found.append(one)
        if not quiet:
            say(f"{one.claim.section.title}: {one.seconds:.1f} s")
    command = "fenchel reproduce" + (f" --data {data}" if data else "")
    folder = Path(output)
    claims.write(folder, source, found, command)
    click.echo("\n".join(_lines(found)))
    click.echo(f"\n{folder / 'index.html'}\n{folder / 'reproduce.json'}")
    violated = sum(one.violated for one in found)
    if violated:
        raise RefusedError(f"{violated} inequalities are violated: see {folder / 'index.html'}")


def _lines(found: list[claims.Measured]) -> list[str]:
    rows = [
        [one.claim.section.title, f"{one.promised:,}", f"{one.violated:,}", f"{one.seconds:.1f}"]
        for one in found
    ]
    return text_table(["claims", "inequalities", "violated", "seconds"], rows)
