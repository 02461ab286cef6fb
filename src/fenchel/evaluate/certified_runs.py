"""Certificates of runs over a stream: what they need of it is read a second time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fenchel.certificates import Certificate, Hindsight, Regret
from fenchel.learners import Composed, Learner, Mixture
from fenchel.learners.block_cutting import pieces
from fenchel.learners.certification import certify, regret
from fenchel.rows import Block, ReadBlocks


def again(learner: Learner, blocks: ReadBlocks, width: int = 0) -> ReadBlocks:
    """Read the stream again as the learner saw it, cut and widened as the first time."""

    def read() -> Iterator[Block]:
        known = width
        for block in blocks():
            for piece in pieces(learner, block, known):
                known = piece.rows.width
                yield piece.replace(labels=learner.encode(piece.labels, len(piece)))

    return read


class Certified:
    """Certifies learners over one stream; what is best in hindsight is sought once."""

    def __init__(self, blocks: ReadBlocks, width: int = 0) -> None:
        self._blocks, self._width = blocks, width
        self._past: Hindsight | None = None

    def all(self, learner: Learner) -> list[Certificate]:
        """Measure every certificate of a run that applies, or is of a variant."""
        if not (learner.certifies or isinstance(learner.engine, Mixture)):
            return []
        found = certify(learner, None, self._read(learner), self._hindsight(learner))
        return [c for c in found if c.applies or c.kind == "variant"]

    def best(self, learner: Learner) -> Certificate | None:
        """Measure the tightest; None where no theorem covers the run."""
        try:
            return learner.engine.headline(self.all(learner))
        except ValueError:
            return None

    def regret(self, learner: Learner) -> Regret | None:
        """Measure the regret of a single learner."""
        if not (isinstance(learner.engine, Composed) and learner.certifies):
            return None
        return regret(learner, self._read(learner), self._hindsight(learner))

    def now(self, learner: Learner) -> Certificate | None:
        """Measure the tightest against the weights of this moment: cheap, one reading and no search."""
        if isinstance(learner.engine, Mixture):
            return learner.engine.certify(None, None, None)[0]
        weights = learner.all_weights()
        try:
            u = weights if learner.intercept else weights[1:]
            return learner.engine.headline(certify(learner, u, self._read(learner)))
        except ValueError:
            return None

    def _read(self, learner: Learner) -> ReadBlocks:
        return again(learner, self._blocks, self._width)

    def _hindsight(self, learner: Learner) -> Hindsight:
        if self._past is None or self._past.columns != learner.columns:
            self._past = Hindsight(self._read(learner), learner.columns)
        return self._past


def best_certificates(
    learners: Mapping[str, Learner], blocks: ReadBlocks, width: int = 0
) -> dict[str, Certificate | None]:
    """Measure the tightest certificate of each learner's run over the blocks, or None."""
    certified = Certified(blocks, width)
    return {name: certified.best(learner) for name, learner in learners.items()}
