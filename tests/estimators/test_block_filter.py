"""Block frequency-domain LMS against the definition in the time domain."""

import numpy as np
import pytest

from fenchel.estimators import AdaptiveFilter, BlockFilter

RNG = np.random.default_rng(0)
FAR = RNG.standard_normal(4096)
ROOM = RNG.standard_normal(60) * 0.9 ** np.arange(60)
NEAR = np.convolve(FAR, ROOM)[:4096]


def test_an_output_is_the_convolution_with_the_filter_before_its_block():
    filter = BlockFilter(taps=64)
    filter.run(FAR[:2048], NEAR[:2048])
    known = np.convolve(FAR[:2112], filter.coef_)[2048:2112]
    np.testing.assert_allclose(
        filter.run(FAR[2048:2112], NEAR[2048:2112]).output, known, atol=1e-10
    )


def test_pieces_of_whole_blocks_change_no_bit():
    whole = BlockFilter(taps=64).run(FAR, NEAR).output
    filter = BlockFilter(taps=64)
    parts = [filter.run(FAR[i : i + 128], NEAR[i : i + 128]).output for i in range(0, 4096, 128)]
    assert np.array_equal(whole, np.concatenate(parts))


def test_the_room_is_found():
    filter = BlockFilter(taps=64)
    error = filter.run(FAR, NEAR).error
    assert np.mean(error[-512:] ** 2) < 1e-3 * np.mean(NEAR**2)
    np.testing.assert_allclose(filter.coef_[:60], ROOM, atol=0.05)


def test_noise_is_never_made_much_louder():
    noise = RNG.standard_normal(4096)
    error = BlockFilter(taps=256, mu=1.0).run(FAR, noise).error
    assert error @ error < 1.2 * (noise @ noise)


@pytest.mark.parametrize("wrong", [{"taps": 0}, {"mu": 0.0}, {"mu": 1.5}, {"memory": 0.0}])
def test_parameters_that_make_no_sense_are_refused(wrong):
    name = next(iter(wrong))
    with pytest.raises(ValueError, match=f"{name}="):
        BlockFilter(**wrong).run(FAR, NEAR)


def test_a_filter_that_amplifies_warns():
    noise = np.random.default_rng(1).standard_normal(2000)
    with pytest.warns(RuntimeWarning, match="louder"):
        AdaptiveFilter("normalized_lms:eta=1.5", taps=8).run(FAR[:2000], noise)
