"""The way from raw columns to features, which travels with the model."""

from fenchel.schema.column_text import parse_column
from fenchel.schema.kinds import (
    CannotReadError,
    Category,
    Date,
    Ignored,
    Kind,
    Number,
    Text,
    WordList,
)
from fenchel.schema.schema import Schema

__all__ = [
    "CannotReadError",
    "Category",
    "Date",
    "Ignored",
    "Kind",
    "Number",
    "Schema",
    "Text",
    "WordList",
    "parse_column",
]
