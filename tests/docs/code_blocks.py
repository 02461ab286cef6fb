"""The code blocks of a page: found, and run as a reader would run them.

``python`` blocks share one namespace a page, as a session does: with ``>>>`` they are doctests, else
plain code. In ``console`` blocks each line after ``$`` is a command: ``fenchel`` runs in this
process, anything else in a shell, and what the page shows must be what comes out (``...`` stands for
anything). A ``{code-block}`` with a caption is a file of that name, there for the commands below it.
A block that cannot be run has ``<!-- not run: the reason -->`` before it.
"""

import doctest
import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from fenchel.cli import main

FENCE = re.compile(r"^(?P<fence>`{3,}|:{3,})(?P<kind>[^`]*)$")
NOT_RUN = re.compile(r"^<!-- not run: (?P<reason>.+) -->$")
CAPTION = re.compile(r"^:caption: (?P<file>\S+)$", re.MULTILINE)
COMPILING = "compiling once: the first run takes a while, later ones do not …\n"
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
SHOWN_ONLY = {"text", "json"}


@dataclass(frozen=True)
class CodeBlock:
    """One block: what kind, its text, where it begins, and why it is not run, if so."""

    kind: str
    text: str
    line: int
    not_run: str | None = None


def blocks_of(page: str) -> Iterator[CodeBlock]:
    """The blocks of a page in order; a block inside another belongs to the outer one."""
    lines = page.splitlines()
    at, before = 0, ""
    while at < len(lines):
        opened = FENCE.match(lines[at])
        if opened and opened["fence"][0] == "`":
            end = at + 1
            while end < len(lines) and lines[end].rstrip() != opened["fence"]:
                end += 1
            marked = NOT_RUN.match(before)
            reason = marked["reason"] if marked else None
            body = "".join(f"{line}\n" for line in lines[at + 1 : end])
            yield CodeBlock(opened["kind"].strip(), body, at + 1, reason)
            at, before = end, ""
        elif lines[at].strip():
            before = lines[at].strip()
        at += 1


class Session:
    """A reader at a page: one Python namespace and one folder."""

    def __init__(self, page: Path, folder: Path) -> None:
        self.page, self.folder = page, folder
        self.namespace: dict[str, Any] = {"__name__": "__main__"}
        self.executed = 0

    def run(self, block: CodeBlock) -> None:
        """Do what the block says."""
        if block.not_run or block.kind in SHOWN_ONLY:
            return
        if block.kind == "python":
            (self._doctest if ">>>" in block.text else self._plain)(block)
        elif block.kind == "console":
            for command, shown in commands_of(block.text):
                self._command(block, command, shown)
        elif block.kind.startswith("{"):
            self._directive(block)
            return
        else:
            raise AssertionError(
                f"{self.page.name}:{block.line}: a block of kind {block.kind!r} is neither run nor "
                "shown: make it python, console or text"
            )
        self.executed += 1

    def _doctest(self, block: CodeBlock) -> None:
        parsed = doctest.DocTestParser().get_doctest(
            block.text, self.namespace, self.page.name, str(self.page), block.line
        )
        parsed.globs = self.namespace
        said: list[str] = []
        runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
        runner.run(parsed, out=said.append, clear_globs=False)
        assert not runner.failures, "".join(said)

    def _plain(self, block: CodeBlock) -> None:
        code = compile("\n" * block.line + block.text, str(self.page), "exec")
        exec(code, self.namespace)

    def _directive(self, block: CodeBlock) -> None:
        caption = CAPTION.search(block.text)
        if block.kind.startswith("{code-block}") and caption:
            body = block.text[caption.end() :].lstrip("\n")
            (self.folder / caption["file"]).write_text(body, encoding="utf-8")

    def _command(self, block: CodeBlock, command: str, shown: str) -> None:
        said, status = "", 0
        target = None
        if " > " in command:
            command, target = command.rsplit(" > ", 1)
        for part in command.split(" | "):
            said, status = (
                in_process(part, said) if part.startswith("fenchel") else shell(part, said)
            )
        if target:
            (self.folder / target.strip()).write_text(said, encoding="utf-8")
            said = ""
        where = f"{self.page.name}:{block.line}: $ {command}"
        assert status == 0 or shown, f"{where}\nended with status {status}: {said}"
        said = said.removeprefix(COMPILING)  # where nothing was compiled before
        if shown:
            right = doctest.OutputChecker().check_output(shown, said, FLAGS)
            assert right, f"{where}\nthe page shows\n{shown}\nthe command says\n{said}"


def commands_of(text: str) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with the output shown for it."""
    command, shown = "", ""
    for line in text.replace("\\\n", " ").splitlines():
        if line.startswith("$ "):
            if command:
                yield command, shown
            command, shown = re.sub(r"\s+# .*$", "", line[2:]), ""
        else:
            shown += f"{line}\n"
    yield command, shown


def in_process(command: str, stdin: str) -> tuple[str, int]:
    """A command of ours, without a process of its own."""
    result = CliRunner().invoke(main, shlex.split(command)[1:], input=stdin)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output, result.exit_code


def shell(command: str, stdin: str) -> tuple[str, int]:
    """Any other command."""
    done = subprocess.run(
        command, shell=True, input=stdin.encode(), capture_output=True, check=False, timeout=60
    )
    return (done.stdout + done.stderr).decode(), done.returncode
