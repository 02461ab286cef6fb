"""A small coverage-guided fuzzer: inputs that reach new edges of fenchel's lines join the corpus."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import fenchel

SOURCES = str(Path(fenchel.__file__).parent)


class Target(NamedTuple):
    """One door: seeds and tokens to make inputs of, and a check that raises where it must not."""

    name: str
    seeds: Sequence[bytes]
    tokens: Sequence[bytes]
    check: Callable[[bytes], bool]  # whether the input was accepted
    finish: Callable[[bytes, random.Random], bytes] = lambda content, chance: content


class Found(NamedTuple):
    """What a run came to."""

    inputs: int
    accepted: int
    kept: int
    edges: int


class Edges:
    """The pairs of lines that were run one after the other, in fenchel's own files."""

    def __init__(self) -> None:
        self.seen: set[tuple[str, int, int]] = set()
        self._new = False

    def reached(self, call: Callable[[], bool]) -> tuple[bool, bool]:
        """What the call returns, and whether it went where none went before."""
        self._new = False
        sys.settrace(self._enter)
        try:
            result = call()
        finally:
            sys.settrace(None)
        return result, self._new

    def _enter(self, frame: FrameType, event: str, argument: Any) -> Any:
        if not frame.f_code.co_filename.startswith(SOURCES):
            return None
        return _Lines(self, frame).line

    def add(self, edge: tuple[str, int, int]) -> None:
        if edge not in self.seen:
            self.seen.add(edge)
            self._new = True


class _Lines:
    """The edges of one call."""

    def __init__(self, edges: Edges, frame: FrameType) -> None:
        self._edges, self._file = edges, frame.f_code.co_filename
        self._last = -frame.f_code.co_firstlineno

    def line(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            self._edges.add((self._file, self._last, frame.f_lineno))
            self._last = frame.f_lineno
        return self.line


def mutated(content: bytes, others: Sequence[bytes], tokens: Sequence[bytes], chance: Any) -> bytes:
    """One change: a bit, a byte, a token put in, a slice dropped, repeated or taken from another."""
    place = chance.randrange(len(content) + 1)
    end = min(len(content), place + chance.choice([1, 2, 4, 8, 30]))
    kind = chance.randrange(6)
    if kind == 0 and place < len(content):
        return (
            content[:place]
            + bytes([content[place] ^ 1 << chance.randrange(8)])
            + content[place + 1 :]
        )
    if kind == 1:
        return content[:place] + content[end:]
    if kind == 2:
        return content[:end] + content[place:]
    if kind == 3:
        other = chance.choice(others)
        start = chance.randrange(len(other) + 1)
        return content[:place] + other[start : start + chance.choice([4, 20, 100])] + content[end:]
    if kind == 4:
        return content[:place] + chance.choice(tokens) + content[end:]
    return content[:place] + chance.choice(tokens) + content[place:]


def fuzz(target: Target, seconds: float, seed: int, longest: int = 4096) -> Found:
    """Mutants of the corpus until the time is up; a failed check ends the run with its input."""
    chance = random.Random(seed)
    edges, corpus = Edges(), []
    inputs = accepted = 0
    deadline = time.monotonic() + seconds
    for content in _seeds_then_mutants(target, corpus, chance, longest):
        if time.monotonic() > deadline and inputs >= len(target.seeds):
            break
        try:
            fine, new = edges.reached(lambda content=content: target.check(content))
        except BaseException as error:
            error.add_note(f"{target.name}: this input breaks the rule: {content!r}")
            raise
        inputs += 1
        accepted += fine
        if new or inputs <= len(target.seeds):
            corpus.append(content)
    return Found(inputs, accepted, len(corpus), len(edges.seen))


def _seeds_then_mutants(
    target: Target, corpus: list[bytes], chance: random.Random, longest: int
) -> Iterable[bytes]:
    yield from target.seeds
    while True:
        recent = corpus[-20:] if chance.random() < 0.3 else corpus
        content = chance.choice(recent)
        for _ in range(chance.choice([1, 1, 2, 4, 8])):
            content = mutated(content, corpus, target.tokens, chance)
        yield target.finish(content[:longest], chance)
