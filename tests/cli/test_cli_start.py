"""Help, version and headers are instant: nothing compiled is imported for them."""

import resource
import subprocess
import sys

import pytest
from cli_helpers import run

from fenchel import __version__

COMMANDS = ("train", "predict", "compare", "inspect", "learners")


def _in_fresh_process(
    *arguments: str, blocked: tuple[str, ...]
) -> subprocess.CompletedProcess[str]:
    """Run the command line where some packages cannot be imported."""
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({blocked!r})); "
        f"from fenchel.cli import main; main({list(arguments)!r}, prog_name='fenchel')"
    )
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["train", "--help"]])
def test_help_needs_neither_numba_nor_numpy(arguments: list[str]) -> None:
    done = _in_fresh_process(*arguments, blocked=("numba", "numpy", "rich"))
    assert done.returncode == 0, done.stderr


def test_version() -> None:
    assert run("--version").output == f"fenchel, version {__version__}\n"


def test_help_takes_less_than_a_quarter_of_a_second() -> None:
    """Processor time, the least of three: the machine may be busy with other things."""
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        _in_fresh_process("--help", blocked=())
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(times) < 0.25


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_a_terminal_of_80_columns(command: str) -> None:
    assert max(map(len, run(command, "--help").output.splitlines())) <= 80


def test_inspecting_a_header_needs_no_numba(tmp_path) -> None:
    run("train", "breast_cancer", "--learner", "perceptron", "--save", tmp_path / "m", "--quiet")
    done = _in_fresh_process("inspect", str(tmp_path / "m"), "--top", "0", "--verify",
                             blocked=("numba", "scipy"))  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "perceptron" in done.stdout
