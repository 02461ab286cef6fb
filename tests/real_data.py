"""Public data sets for tests; a machine without them skips the test and says why."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from benchmarks.datasets import Task
    from benchmarks.readers import Matrix, Vector


def real_streams(
    task: "Task", *names: str, rows: int | None = None
) -> Iterator[tuple[str, "Matrix", "Vector"]]:
    """Yield ``(name, X, y)`` of every set of the task, or of those named, cut to some first rows.

    The readers are imported here, not above, so that collecting tests stays quick.
    """
    from benchmarks.datasets import DataMissingError, datasets

    for entry in datasets(task):
        if names and entry.name not in names:
            continue
        try:
            X, y = entry.load()
        except DataMissingError as missing:
            pytest.skip(str(missing))
        yield entry.name, X[:rows], y[:rows]
