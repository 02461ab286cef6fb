"""What the tests of streams share: reading a whole stream into plain lists."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from fenchel.streams import Stream, open_stream


def text_stream(text: str | bytes, format: str, **options: Any) -> Stream:
    data = text.encode() if isinstance(text, str) else text
    return open_stream(io.BytesIO(data), format=format, **options)


def rows_of(stream: Stream) -> list[tuple[Any, list[tuple[Any, float]]]]:
    """Each row as (label, [(name or column, value), …]); blocks are checked on the way."""
    rows: list[tuple[Any, list[tuple[Any, float]]]] = []
    for block in stream:
        assert block.first_row == len(rows)
        assert block.indptr.dtype == np.int64
        assert block.indices.dtype == np.uint32
        assert block.values.dtype == np.float64
        assert block.indptr[0] == 0
        assert block.indptr[-1] == len(block.indices) == len(block.values)
        for k in range(len(block)):
            part = slice(block.indptr[k], block.indptr[k + 1])
            columns = block.indices[part].tolist()
            assert len(set(columns)) == len(columns)
            assert all(column < stream.columns for column in columns)
            keys = columns if stream.names is None else [stream.names.name(c) for c in columns]
            label = None if block.labels is None else block.labels[k]
            rows.append((label, list(zip(keys, block.values[part].tolist(), strict=True))))
    return rows


def read(
    text: str | bytes, format: str, **options: Any
) -> list[tuple[Any, list[tuple[Any, float]]]]:
    return rows_of(text_stream(text, format, **options))
