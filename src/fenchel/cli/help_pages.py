"""The help of commands with many options, under headings."""

from __future__ import annotations

import click

# The headings in their order, and the parameters below each; every command shows those it has.
SECTIONS = {
    "Models and results": (
        "save", "resume", "output", "predictions", "report", "json_file", "as_json", "checkpoint_every",
    ),
    "Learner": (
        "learner", "specifications", "task", "loss", "class_weight", "half_life", "time_budget", "passes",
        "no_intercept", "bits", "device",
    ),
    "Predictions and scores": (
        "proba", "margin", "top", "interval", "cost", "metrics", "names", "horizon", "certify",
    ),
    "Columns": (
        "label", "number", "categorical", "text", "words", "date", "ignore", "id", "weight", "cross",
        "quadratic", "cubic",
    ),
    "Labels that come late": ("delay", "late"),
    "File": (
        "format", "separator", "decimal", "header", "columns", "quotes", "index_base", "on_error", "shuffle",
        "seed",
    ),
    "Live sources (tail:, redis://, kafka://)": (
        "drain", "every", "checkpoint_seconds", "dead_letters", "metrics_port",
    ),
    "Several processes or machines": ("workers", "scheduler", "rounds", "checkpoint", "polish"),
    "Messages": ("progress_every", "quiet", "help"),
}  # fmt: skip
A_SCREEN = 14  # options that need no headings


class SectionedCommand(click.Command):
    """A command whose help shows its options under headings, once they are more than a screen has."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, section by section; what has no section stands at the end."""
        given = {p.name: p for p in self.get_params(ctx) if isinstance(p, click.Option)}
        if len(given) <= A_SCREEN:
            super().format_options(ctx, formatter)
            return
        own = self.get_help_option(ctx)
        given = {"help" if p is own else name: p for name, p in given.items()}
        known = {name for names in SECTIONS.values() for name in names}
        rest = {"Options": tuple(name for name in given if name not in known)}
        for title, names in {**SECTIONS, **rest}.items():
            records = [given[n].get_help_record(ctx) for n in names if n in given]
            told = [record for record in records if record is not None]
            if told:
                with formatter.section(title):
                    formatter.write_dl(told)
