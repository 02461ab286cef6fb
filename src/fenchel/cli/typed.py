"""The command as it was typed, for those who want to run it again."""

from __future__ import annotations

import shlex
from typing import Any

import click
from click.core import ParameterSource


def typed_command() -> str:
    """Write the present command with all that was said: arguments, options, flags."""
    context = click.get_current_context()
    words = ["fenchel", str(context.info_name)]
    for parameter in context.command.params:
        name = parameter.name or ""
        said = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        value = context.params.get(name)
        if isinstance(parameter, click.Argument):
            words.append(str(value))
        elif said:
            words += _option(parameter, value)
    return shlex.join(words)


def _option(parameter: click.Parameter, value: Any) -> list[str]:
    """One option: a flag, or its name before each value."""
    if value is True or value is False:
        return [(parameter.opts if value else parameter.secondary_opts or parameter.opts)[0]]
    values = value if parameter.multiple else (value,)
    return [word for each in values for word in (parameter.opts[0], *_words(each))]


def _words(value: Any) -> list[str]:
    return [str(part) for part in value] if isinstance(value, tuple) else [str(value)]
