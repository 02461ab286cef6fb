"""The end of a comparison in plain words: which learner, by how much, and could it be chance."""

from __future__ import annotations

import textwrap

from fenchel.cli.output import counted, number
from fenchel.evaluate import Comparison, Verdict

WIDTH = 80
UNBROKEN = "\N{NO-BREAK SPACE}"
NAMED = 4  # learners that are named before the rest is counted


def advice(result: Comparison, regression: bool) -> str:
    """Write a paragraph: which learner to use, and what the data do not settle."""
    said = [_winner(result, regression)]
    if result.best_loss >= result.constant.loss:
        said.append("Beware: that is no better than the best constant; these features tell little.")
    if result.frozen is not None:
        said.append(_next_frozen(result, result.frozen))
    elif len(result.entrants) > 1:
        said += [_runner_up(result, regression), _tied(result)]
    lines = textwrap.wrap(" ".join(filter(None, said)), WIDTH, break_long_words=False)
    return "\n".join(lines).replace(UNBROKEN, " ")


def _winner(result: Comparison, regression: bool) -> str:
    name, score = result.best.specification, result.best.score
    if result.frozen is not None:
        kind = _kind(result) if regression else "share of mistakes"
        return f"Use {name}: {kind} {number(result.frozen[name])} frozen on the rows ahead."
    if result.ranked_by:
        metric = result.ranked_by.replace("_", " ")
        return f"Use {name}: {metric} {number(score.metrics[result.ranked_by])}."
    if regression:
        share = score.loss / result.constant.loss if result.constant.loss else 1.0
        return f"Use {name}: average {_kind(result)} {number(score.loss)}, {share:.3g} of the constant's."
    assert score.mistakes is not None
    mistakes = counted(score.mistakes, "mistake")
    return f"Use {name}: {mistakes} in {counted(result.rounds, 'round')} ({score.error:.2%})."


def _kind(result: Comparison) -> str:
    """What numbers are told in."""
    if result.loss.startswith("quantile"):
        return f"{result.loss} loss"
    return "Poisson deviance" if result.loss == "poisson" else "squared loss"


def _next_frozen(result: Comparison, frozen: dict[str, float]) -> str:
    """Tell how far behind the next is; of samples of the rows there is no test."""
    if len(result.entrants) < 2:
        return ""
    second = result.entrants[1].specification
    more = frozen[second] - frozen[result.best.specification]
    return f"The next, {second}, lost {more:.3g} more a row; no test tells whether that is chance."


def _runner_up(result: Comparison, regression: bool) -> str:
    second, verdict = result.entrants[1], result.verdicts[1]
    if result.ranked_by and result.tested_by == result.ranked_by:
        more = f"{verdict.won:.3g} more a round"
        return f"The next, {second.specification}, lost {more}. {_chance(verdict, 'z-test')}"
    if regression:
        more = f"{second.score.loss - result.best.score.loss:.3g} more a round"
        return f"The next, {second.specification}, lost {more}. {_chance(verdict, 'z-test')}"
    apart = int(verdict.won + verdict.lost)
    if apart == 0:
        return f"The next, {second.specification}, made the same mistakes."
    where = (
        f"where only one of the two was wrong, {counted(apart, 'round')} in all, it was right in "
        f"{int(verdict.won):,} and the other in {int(verdict.lost):,}"
    )
    return f"Against the next, {second.specification}: {where}. {_chance(verdict, 'sign test')}"


def _chance(verdict: Verdict, test: str) -> str:
    p = f"p = {verdict.p_value:.2g}" if verdict.p_value >= 1e-4 else "p < 0.0001"
    p = p.replace(" ", UNBROKEN)
    if verdict.could_be_chance:
        return f"Such a difference could be chance ({test}, {p})."
    return f"Such a difference is hardly chance ({test}, {p})."


def _tied(result: Comparison) -> str:
    """Name who else may be as good: choosing the best of many flatters it a little."""
    others = zip(result.entrants[2:], result.verdicts[2:], strict=True)
    tied = [entrant.specification for entrant, verdict in others if verdict.could_be_chance]
    if not tied:
        return ""
    rest = f" and {len(tied) - NAMED} more" if len(tied) > NAMED else ""
    are = "is" if len(tied) == 1 else "are"
    return f"{', '.join(tied[:NAMED])}{rest} {are} not significantly different either."
