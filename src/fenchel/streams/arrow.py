"""Parquet and Arrow files, in batches of rows (the extra ``arrow``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from fenchel.streams.errors import BadInput
from fenchel.streams.frames import as_frame
from fenchel.streams.source import Source

BATCH_ROWS = 1 << 16


def arrow_frames(source: Source, format: str) -> Callable[[], Iterator[Any]]:
    """A function that starts a pass over a Parquet or Arrow file, frame by frame."""
    try:
        import pyarrow
    except ImportError:
        what, remedy = f"reading {format} needs the package pyarrow", "install fenchel[arrow]"
        raise BadInput(what, remedy, file=source.name) from None
    if not source.repeatable and not isinstance(source.place, (str, Path)):
        what = f"{format} cannot be read from a pipe"
        raise BadInput(what, "save it to a file first", file=source.name)

    def frames() -> Iterator[Any]:
        raw, owned = source.open_raw()
        try:
            for batch in _batches(raw, format):
                yield as_frame(pyarrow.Table.from_batches([batch]))
        except (pyarrow.ArrowException, OSError) as error:
            what = f"the {format} data cannot be read: {' '.join(str(error).split())}"
            remedy = "check the format, or fetch the file again"
            raise BadInput(what, remedy, file=source.name) from None
        finally:
            if owned:
                raw.close()

    return frames


def _batches(raw: Any, format: str) -> Iterator[Any]:
    if format == "parquet":
        from pyarrow import parquet

        with parquet.ParquetFile(raw) as file:
            yield from file.iter_batches(batch_size=BATCH_ROWS)
        return
    from pyarrow import ArrowInvalid, ipc

    try:
        with ipc.open_file(raw) as file:
            for k in range(file.num_record_batches):
                yield file.get_batch(k)
    except ArrowInvalid:  # not the file form: the stream form, or nothing of Arrow's
        raw.seek(0)
        with ipc.open_stream(raw) as stream:
            yield from stream
