"""Failures of commands: one line that says where, what and the remedy; never a traceback.

0 done, 1 the data or the model was refused, 2 wrong use of the command, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import errno
import sys
from typing import Any

import click

from fenchel.cli.help_pages import SectionedCommand
from fenchel.cli.output import printable
from fenchel.streams import BadInput
from fenchel.streams.errors import Argument

STOPPED = 130  # the exit status of programs that Ctrl-C ended


def as_option(argument: Argument) -> str:
    """Spell an argument of ``open_stream`` as the option of the same name.

    >>> as_option(Argument("header", False)), as_option(Argument("index_base", 0))
    ('--no-header', '--index-base 0')
    """
    name = "-".join(argument.name.split("_"))
    if isinstance(argument.value, bool):
        return f"--{name}" if argument.value else f"--no-{name}"
    return f"--{name}" if argument.value is None else f"--{name} {argument.value}"


class RefusedError(click.ClickException):
    """Data or a model that was refused."""

    exit_code = 1

    def show(self, file: Any = None) -> None:
        """Print one line on standard error."""
        click.echo(printable(" ".join(self.message.split())), file=file, err=file is None)


class RefusingGroup(click.Group):
    """Commands whose refusals take one line."""

    command_class = SectionedCommand

    def invoke(self, context: click.Context) -> Any:
        """Run a command; what users can put right is no traceback."""
        try:
            result = super().invoke(context)
            sys.stdout.flush()  # a full disk is told here, not when the process ends
            return result
        except KeyboardInterrupt:
            click.echo("stopped by Ctrl-C", err=True)
            raise click.exceptions.Exit(STOPPED) from None
        except BadInput as error:  # some of them, and of what follows, are an OSError too
            raise RefusedError(error.message(as_option)) from error
        except ValueError as error:  # ModelRefused among them
            raise RefusedError(str(error)) from error
        except OSError as error:
            if error.errno == errno.EPIPE:  # the reader of our output has seen enough
                raise
            place = f"{error.filename}: " if error.filename else ""
            raise RefusedError(f"{place}{error.strerror or error}; check the path") from error
