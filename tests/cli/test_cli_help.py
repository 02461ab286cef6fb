"""The help of commands: under headings, within 80 columns, every option once."""

import re

import click
import pytest
from cli_helpers import run

from fenchel.cli.app import main
from fenchel.cli.help_pages import A_SCREEN, SECTIONS

LONG = ["train", "compare", "predict", "test", "explain"]


@pytest.mark.parametrize("command", LONG)
def test_options_stand_under_headings_each_once(command):
    said = run(command, "--help").stdout
    titles = re.findall(r"^(\S.*):$", said, re.MULTILINE)
    assert titles == [
        title for title in SECTIONS if title in titles
    ]  # none is left over, all in order
    options = [p for p in main.commands[command].params if isinstance(p, click.Option)]
    assert len(options) > A_SCREEN
    for option in options:
        long = next(name for name in option.opts if name.startswith("--"))
        assert len(re.findall(rf"^  (?:-\w, )?{long}\b(?!-)", said, re.MULTILINE)) == 1, long


@pytest.mark.parametrize("command", sorted(main.commands))
def test_help_fits_a_terminal_of_80_columns(command):
    said = run(command, "--help").stdout
    assert max(map(len, said.splitlines())) <= 80


def test_sections_name_options_that_exist():
    known = {p.name for command in main.commands.values() for p in command.params}
    for names in SECTIONS.values():
        assert set(names) - {"help"} <= known
