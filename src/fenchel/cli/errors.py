"""How commands fail: one line that says where, what and the remedy; never a traceback.

0 done, 1 the data or the model was refused, 2 wrong use of the command, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import errno
from typing import Any

import click

STOPPED = 130  # the exit status of programs that Ctrl-C ended

# Remedies speak of Python's arguments; here they are options.
OPTIONS = {
    "in categorical=": "with --categorical",
    "in label=": "with --label",
    "header=True": "--header",
    "header=False": "--no-header",
    "index_base=0": "--index-base 0",
    "from the name; name it:": "from the name; say it with --format:",
}


class RefusedError(click.ClickException):
    """Data or a model that was refused."""

    exit_code = 1

    def show(self, file: Any = None) -> None:
        """One line on standard error."""
        click.echo(" ".join(self.message.split()), file=file, err=file is None)


class RefusingGroup(click.Group):
    """Commands whose refusals are told in one line."""

    def invoke(self, context: click.Context) -> Any:
        """Run a command; what users can put right is no traceback."""
        try:
            return super().invoke(context)
        except KeyboardInterrupt:
            click.echo("stopped by Ctrl-C", err=True)
            raise click.exceptions.Exit(STOPPED) from None
        except OSError as error:
            if error.errno == errno.EPIPE:  # the reader of our output has seen enough
                raise
            place = f"{error.filename}: " if error.filename else ""
            raise RefusedError(f"{place}{error.strerror or error}; check the path") from error
        except ValueError as error:  # BadInput and ModelRefused among them
            message = str(error)
            for argument, option in OPTIONS.items():
                message = message.replace(argument, option)
            raise RefusedError(message) from error
