"""Options of ``fenchel train`` for live sources alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click

from fenchel.cli.options import together

SECONDS = 30.0


@dataclass(frozen=True)
class LiveOptions:
    """The options of a live source."""

    checkpoint_seconds: float | None = None
    dead_letters: str | None = None
    drain: bool = False
    every: float | None = None
    metrics_port: str | None = None

    @classmethod
    def of(cls, given: dict[str, Any]) -> LiveOptions:
        """Take the options out of ``given``."""
        return cls(**{key: given.pop(key) for key in cls.__dataclass_fields__ if key in given})

    def refuse(self) -> None:
        """Refuse them where nothing is live: they could do nothing."""
        for name in self.__dataclass_fields__:
            if getattr(self, name) not in (None, False):
                option = "--" + name.replace("_", "-")
                raise click.UsageError(
                    f"{option} is for live sources: tail:, redis:// or kafka://."
                )


live = together(
    click.option("--checkpoint-seconds", type=click.FloatRange(0.0, min_open=True), metavar="S",
                 help="Save after S seconds too. [default: 30]"),
    click.option("--dead-letters", metavar="PLACE",
                 help="A file, redis://… or kafka://… for messages that are refused."),
    click.option("--drain", is_flag=True, help="Leave once all that is there is learned."),
    click.option("--every", type=click.FloatRange(0.0, min_open=True), metavar="S",
                 help="Print rate, lag and the loss of late every S seconds."),
    click.option("--metrics-port", metavar="[HOST:]PORT",
                 help="The same for Prometheus, on this port."),
)  # fmt: skip
