"""Where the loss went up: the false alarms and the delay of the test, on generated streams."""

import numpy as np
import pytest

from fenchel.evaluate.change_points import CHUNK, ChangePoints, threshold


@pytest.mark.parametrize("mean", [0.02, 0.2, 0.5])
def test_false_alarms_stay_within_the_stated_rate(mean):
    rng = np.random.default_rng(int(1000 * mean))
    alarms = 0
    for _ in range(100):
        watch = ChangePoints(rate=0.05)
        watch.see((rng.random(1500) < mean).astype(float))
        alarms += bool(watch.found)
    assert alarms <= 5


def test_a_loss_that_rises_is_seen_soon_and_one_that_falls_never():
    rng = np.random.default_rng(0)
    rising, falling = ChangePoints(), ChangePoints()
    low, high = (rng.random(3000) < 0.1).astype(float), (rng.random(1000) < 0.4).astype(float)
    rising.see(np.concatenate([low, high]))
    falling.see(np.concatenate([high, low]))
    assert [abs(c.since - 3000) < 100 and c.seen <= 3250 for c in rising.found] == [True]
    assert falling.found == []


def test_blocks_make_no_difference_and_memory_stays_small():
    losses = (np.random.default_rng(1).random(20_000) < np.r_[[0.1] * 9000, [0.3] * 11_000]).astype(
        float
    )
    whole, cut = ChangePoints(), ChangePoints()
    whole.see(losses)
    for part in np.array_split(losses, 97):
        cut.see(part)
    assert whole.found == cut.found
    assert whole.found
    assert len(whole._counts) <= 9 * np.log2(20_000 / CHUNK)


def test_losses_without_bounds_are_compared_with_their_first_median():
    rng = np.random.default_rng(2)
    watch = ChangePoints(bounded=False)
    watch.see(np.concatenate([rng.exponential(5.0, 3000), rng.exponential(20.0, 2000)]))
    assert len(watch.found) >= 1
    assert abs(watch.found[0].since - 3000) < 150


def test_the_threshold_grows_with_the_rounds_and_the_confidence():
    assert threshold(100, 0.05) < threshold(10_000, 0.05) < threshold(10_000, 0.001)
