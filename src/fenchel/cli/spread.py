"""Work for several processes or machines, as the command line asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from fenchel.cli.sources import Reading


@contextmanager
def executor_of(scheduler: str | None) -> Iterator[Any]:
    """Dask's client, or None for processes of this machine."""
    if scheduler is None:
        yield None
        return
    try:
        distributed = import_module("distributed")  # deferred: an extra
    except ImportError:
        raise click.UsageError("--scheduler needs Dask: install fenchel[dask].") from None
    try:
        client = distributed.Client(scheduler)
    except OSError:
        raise click.BadParameter(
            f"{scheduler}: no scheduler answers there.", param_hint="'--scheduler'"
        ) from None
    with client:
        yield client


def how_to_read(reading: Reading) -> dict[str, Any]:
    """The way workers read files: the options about their form."""
    return {
        "format": reading.format,
        "separator": reading.separator,
        "decimal": reading.decimal,
        "quotes": reading.quotes is not False,
        "on_error": reading.on_error,
    }
