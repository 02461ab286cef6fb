"""AdaHedge's bound holds whatever the losses: heavy tails, importance, experts far behind."""

import numpy as np
import pytest

from fenchel import learners
from fenchel.certificates import hedge_bound
from fenchel.loops.adahedge import charge_rounds, new_hedge, unite_hedge
from fenchel.loops.coin_stacking import AHEAD, VOTE, new_choice
from fenchel.regularizers.uniting import Shards


def oracle(losses):
    """Σ h_t and Δ_T of AdaHedge, by its definition and log-sum-exp."""
    total, gap, expected = np.zeros(losses.shape[1]), 0.0, 0.0
    for loss in losses:
        if gap > 0.0:
            eta = np.log(losses.shape[1]) / gap
            logits = -eta * (total - total.min())
            shares = np.exp(logits - np.logaddexp.reduce(logits))
            mixed = -np.logaddexp.reduce(logits - eta * loss) + np.logaddexp.reduce(logits)
            mixed /= eta
        else:
            shares = (total == total.min()) / np.sum(total == total.min())
            mixed = np.min(total + loss) - np.min(total)
        expected += shares @ loss
        gap += max(0.0, shares @ loss - mixed)
        total += loss
    return expected, gap


def drawn(seed):
    """Losses of 2 to 5 experts: steady, heavy-tailed, rarely huge, or of one leader that falls."""
    rng = np.random.default_rng(seed)
    count, experts = int(rng.integers(20, 200)), int(rng.integers(2, 6))
    kind = seed % 4
    losses = rng.random((count, experts))
    if kind == 1:
        losses = rng.pareto(0.7, (count, experts))
    elif kind == 2:
        losses *= np.where(
            rng.random((count, 1)) < 0.03, 10.0 ** rng.uniform(0, 12, (count, 1)), 1.0
        )
    elif kind == 3:
        losses = np.where(np.arange(experts) == 0, 0.0, 1.0) + np.zeros((count, 1))
        losses[-1] = np.where(np.arange(experts) == 0, 10.0 ** rng.uniform(1, 8), 0.0)
    return losses


def test_a_leader_that_falls_at_last():
    losses = np.array([[0.0, 1.0]] * 61 + [[1000.0, 0.0]])
    hedge = new_hedge(2)
    charge_rounds(hedge, losses)
    c = hedge_bound(hedge)
    assert c.achieved == pytest.approx(939.5, abs=0.5)
    assert c.bound == pytest.approx(1879.0, rel=1e-3)


@pytest.mark.parametrize("seed", range(200))
def test_the_gap_is_that_of_the_definition_and_the_bound_holds(seed):
    losses, hedge = drawn(seed), None
    hedge = new_hedge(losses.shape[1])
    charge_rounds(hedge, losses)
    expected, gap = oracle(losses)
    assert hedge.expected[0] == pytest.approx(expected, rel=1e-9)
    assert hedge.gap[0] == pytest.approx(gap, rel=1e-6, abs=1e-9)
    assert hedge_bound(hedge).holds


@pytest.mark.parametrize("seed", range(12))
def test_mixtures_keep_it_on_heavy_tails_and_importance(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 4)) * 10.0 ** rng.uniform(-2, 2, 4)
    y = X @ rng.normal(size=4) + rng.standard_t(1.1, 150) * 10.0 ** rng.uniform(0, 4)
    importance = rng.pareto(0.8, 150)
    regression = seed % 2 == 0
    experts = ["normalized_lms", "p_norm_lms"] if regression else ["perceptron", "arow"]
    learner = learners.hedge(experts, combined=seed % 3 == 0)
    learner.learn_many(X, y if regression else np.sign(y), importance)
    assert learner.engine.certify(None, None, None)[0].holds


def against_the_vote(seed, options):
    """Mistakes of a vote that begins behind, and of others that are better, as good, or always wrong."""
    rng = np.random.default_rng(seed)
    rates = rng.choice([0.0, 0.1, 0.5, 1.0], options)
    losses = (rng.random((int(rng.integers(5, 120)), options)) < rates) * 1.0
    losses[:, VOTE] = rng.random(len(losses)) * rng.choice([0.0, 0.2, 1.0])
    return losses


@pytest.mark.parametrize("options", [2, 3])
def test_the_bound_against_a_vote_that_begins_behind_holds_in_every_round(options):
    for seed in range(100):
        choice, losses = new_choice(options == 3), against_the_vote(seed, options)
        for t in range(len(losses)):
            charge_rounds(choice, losses[t : t + 1])
            lost = losses[: t + 1, VOTE].sum()
            assert choice.losses[VOTE] == pytest.approx(AHEAD + lost)
            assert choice.expected[0] <= lost + 2.0 * choice.gap[0] + 1e-9


def test_the_bound_against_the_vote_survives_a_merge_from_nothing_and_holds_as_rounds_go_on():
    for seed in range(100):
        count, lost = 2 + seed % 7, 0.0
        shards = [new_choice(True) for _ in range(count)]
        for k, shard in enumerate(shards):
            losses = against_the_vote(seed if seed % 2 else 1000 * seed + k, 3)
            charge_rounds(shard, losses)
            lost += losses[:, VOTE].sum()
        merged = new_choice(True)
        unite_hedge(merged, Shards(shards, new_choice(True), [1.0 / count] * count))
        merged.losses[VOTE] = lost
        for losses in against_the_vote(seed, 3):
            assert merged.expected[0] <= lost + 2.0 * merged.gap[0] + 1e-9
            charge_rounds(merged, losses[None])
            lost += losses[VOTE]
