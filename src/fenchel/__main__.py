"""``python -m fenchel``."""

from fenchel.cli import main

main(prog_name="fenchel")
