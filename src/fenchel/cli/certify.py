"""``--certify``: rows kept for a second look, certificates as tables and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from textwrap import wrap
from typing import Any

from fenchel.certificates import Certificate, Regret, table
from fenchel.certificates.hindsight import MOST_HELD
from fenchel.certificates.tables import FIGURES, WIDTH, figures, text_table
from fenchel.cli.output import LABEL_WIDTH, counted, fact, say
from fenchel.cli.sources import Data
from fenchel.evaluate import Certified, embedded, learn
from fenchel.learners import Learner
from fenchel.rows import Block


class Kept:
    """Keeps the rows of a stream for a second look: those that fit into 50 MB, else the file again.

    What can be read but once (standard input, a pipe) and is longer gives its first rows.
    """

    def __init__(self, source: Data) -> None:
        self._source = source
        self._blocks: list[Block] = []
        self._bytes = 0
        self.whole = True

    def see(self, block: Block) -> None:
        """Keep a block, as long as there is room."""
        self._bytes += block.rows.nbytes
        self.whole = self.whole and self._bytes <= MOST_HELD
        if self.whole:
            self._blocks.append(block.replace(ids=None))
        elif self._reopens:
            self._blocks = []

    def through(self, blocks: Iterable[Block]) -> Iterator[Block]:
        """Yield the same blocks, each kept as it passes."""
        for block in blocks:
            self.see(block)
            yield block

    @property
    def _reopens(self) -> bool:
        place = self._source.name
        return place in embedded.TABLES or Path(place).is_file()

    def __call__(self) -> Iterable[Block]:
        """Read once more."""
        return self._source.stream if not self.whole and self._reopens else self._blocks

    def learners(self, learners: Mapping[str, Learner], quiet: bool) -> dict[str, Learner]:
        """Return the learners whose rows these are: the given ones, or twins that saw the beginning."""
        if self.whole or self._reopens:
            return dict(learners)
        rows = counted(sum(len(block) for block in self._blocks), "row")
        told = f"of the first {rows}: {self._source.name} cannot be read twice"
        fact("certificates", told, quiet)
        return {name: self._at_the_beginning(learner) for name, learner in learners.items()}

    def _at_the_beginning(self, learner: Learner) -> Learner:
        twin = learner.fresh()
        if learner.labels is not None:
            twin.adopt_labels(learner.labels.known)
        for block in self._blocks:
            learn(twin, block, self._source.width)
        return twin


class RunCertificates:
    """Certifies the run of one learner, while it learns and at the end."""

    def __init__(self, learner: Learner, source: Data) -> None:
        self._learner, self._kept = learner, Kept(source)
        self._certified = Certified(self._kept, source.width)

    def see(self, block: Block) -> None:
        """Keep a block that was learned."""
        self._kept.see(block)

    def now(self) -> Certificate | None:
        """Measure the tightest so far against the weights of this moment, while rows are few."""
        return self._certified.now(self._learner) if self._kept.whole else None

    def finish(self, quiet: bool, told: bool) -> dict[str, Any] | None:
        """Measure all of them, and tell them where asked; returns the tightest as JSON has it."""
        (learner,) = self._kept.learners({"": self._learner}, quiet).values()
        if told:
            found = self._certified.all(learner)
            say("\n" + (table(found) if found else "no theorem covers this run") + "\n")
            _tell_regret(learner.name, self._certified.regret(learner))
        return as_json(self._certified.best(learner))


def _tell_regret(name: str, regret: Regret | None) -> None:
    """Tell the regret, how it grew, and whether a batch model would have won; or why there is none."""
    if regret is None:
        head = f"not defined: {name} has no single loss"
        told = "it is made of several learners; the certificates tell what each lost against its u"
    else:
        head = f"{regret.value:.6g} against the best u in hindsight"
        told = regret.words
    fact("regret", head)
    for line in wrap(told, WIDTH - LABEL_WIDTH):
        fact("", line)


def certificate_lines(best: Mapping[str, Certificate | None]) -> list[str]:
    """Lay out the tightest certificate of each learner."""
    found = {f"{name}: {c.theorem}, {c.equation}": c for name, c in best.items() if c is not None}
    rows = [[name, *figures(c)] for name, c in found.items()]
    none = [name for name, c in best.items() if c is None]
    said = [f"no theorem covers {', '.join(none)}"] if none else []
    return text_table(["learner: theorem", *FIGURES], rows) + said


def as_json(certificate: Certificate | None) -> dict[str, Any] | None:
    """Write a certificate as ``--json`` has it."""
    if certificate is None:
        return None
    return {
        "theorem": f"{certificate.theorem}, {certificate.equation}",
        "achieved": float(certificate.achieved),
        "bound": float(certificate.bound),
        "slack": float(certificate.slack),
        "holds": certificate.holds,
        "verdict": certificate.verdict,
        "comparator": certificate.comparator,
    }
