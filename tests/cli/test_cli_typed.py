"""The command as it was typed."""

import click
from click.testing import CliRunner

from fenchel.cli.typed import typed_command


@click.command(name="compare")
@click.argument("data", default="breast_cancer")
@click.option("--learner", multiple=True)
@click.option("--header/--no-header", default=None)
@click.option("--quiet", is_flag=True)
@click.option("--top", default=3)
def compare(**given):
    print(typed_command())


def test_all_that_was_said_is_told_and_nothing_else():
    said = ["my data.csv", "--learner", "arow:r=1", "--learner", "lms", "--no-header", "--quiet"]
    told = CliRunner().invoke(compare, said).output
    assert told == (
        "fenchel compare 'my data.csv' --learner arow:r=1 --learner lms --no-header --quiet\n"
    )
    assert CliRunner().invoke(compare, []).output == "fenchel compare breast_cancer\n"
