"""Running the command line in this process or in another, and small data for it."""

import inspect
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import CliRunner, Result

from fenchel.cli import main

# Up to click 8.1 both outputs are one unless they are asked for apart.
APART: Any = (
    {"mix_stderr": False} if "mix_stderr" in inspect.signature(CliRunner).parameters else {}
)


def run(*arguments: Any, status: int = 0, stdin: str | bytes | None = None) -> Result:
    """Run a command here and check its exit status."""
    result = CliRunner(**APART).invoke(main, [str(argument) for argument in arguments], input=stdin)
    assert result.exit_code == status, (result.output, result.exception)
    return result


def run_elsewhere(*arguments: Any, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command in a fresh process."""
    command = [sys.executable, "-m", "fenchel", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **options)


def text_lines(rows: int, task: str, seed: int = 0, words: int = 200) -> list[str]:
    """Rows of Vowpal Wabbit text whose words keep arriving."""
    random = np.random.default_rng(seed)
    lines = []
    for _ in range(rows):
        drawn = random.zipf(1.3, 1 + random.integers(6)) % words
        label = {
            "binary": "1" if 1 in drawn else "2",
            "multiclass": str(1 + int(drawn[0]) % 3),
            "regression": f"{random.normal() + len(drawn):.3f}",
        }[task]
        entries = " ".join(f"w{word}:{random.normal():.3f}" for word in dict.fromkeys(drawn))
        lines.append(f"{label} |f {entries}")
    return lines


def write_lines(path: Path, lines: Sequence[str]) -> Path:
    """A file of these lines."""
    path.write_text("".join(f"{line}\n" for line in lines))
    return path
