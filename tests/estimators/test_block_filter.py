"""Block frequency-domain LMS against the definition in the time domain."""

import copy
import pickle

import numpy as np
import pytest

from fenchel import Learner, models
from fenchel.estimators import AdaptiveFilter, BlockFilter
from fenchel.models import ModelRefused

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


def in_pieces(filter, cuts):
    """The output of a run cut at these samples."""
    ends = [*cuts, len(NEAR)]
    begins = [0, *cuts]
    parts = [filter.run(FAR[b:e], NEAR[b:e]) for b, e in zip(begins, ends, strict=True)]
    return np.concatenate([part.output for part in parts])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("most", [7, 50, 300])
def test_a_signal_may_be_cut_anywhere(seed, most):
    whole, cut = BlockFilter(taps=64), BlockFilter(taps=64)
    cuts = np.random.default_rng(seed).integers(0, most, 4096).cumsum()
    known, found = whole.run(FAR, NEAR).output, in_pieces(cut, cuts[cuts < 4096])
    np.testing.assert_allclose(found, known, rtol=0.0, atol=1e-12 * np.abs(known).max())
    assert cut.coef_.tobytes() == whole.coef_.tobytes()
    assert cut.samples_ == 4096


def test_it_learns_from_pieces_shorter_than_a_block():
    filter = BlockFilter(taps=64)
    in_pieces(filter, range(50, 4096, 50))
    np.testing.assert_allclose(filter.coef_[:60], ROOM, atol=0.05)


def through_a_file(filter, folder):
    filter.save(folder / "f")
    return BlockFilter.load(folder / "f")


KEEPING = {
    "copy": lambda filter, _: copy.copy(filter),
    "deepcopy": lambda filter, _: copy.deepcopy(filter),
    "pickle": lambda filter, _: pickle.loads(pickle.dumps(filter)),
    "file": through_a_file,
}


@pytest.mark.parametrize("samples", [0, 128, 100, 1003])
@pytest.mark.parametrize("way", KEEPING)
def test_it_is_kept_in_the_middle_of_a_block(way, samples, tmp_path):
    filter = BlockFilter(taps=64, mu=0.3, memory=5.0)
    if samples:
        filter.run(FAR[:samples], NEAR[:samples])
    twin = KEEPING[way](filter, tmp_path)
    known = filter.run(FAR[samples:], NEAR[samples:]).output
    assert twin.run(FAR[samples:], NEAR[samples:]).output.tobytes() == known.tobytes()
    assert twin.get_params() == filter.get_params()
    assert twin.samples_ == 4096


def forged(change, folder):
    """Load a block filter's file with something changed in its arrays or its numbers."""
    filter = BlockFilter(taps=8)
    filter.run(FAR[:20], NEAR[:20])
    filter.save(folder / "f")
    arrays, metadata = models.read(folder / "f")
    arrays |= change.get("arrays", {})
    metadata["block_filter"].update(change.get("numbers", {}))
    kept = {name: value for name, value in metadata.items() if name not in ("format", "version")}
    models.write(folder / "g", arrays, kept)
    return BlockFilter.load(folder / "g")


@pytest.mark.parametrize(
    "change",
    [
        {"numbers": {"taps": 9}},
        {"numbers": {"taps": "8"}},
        {"numbers": {"taps": 1 << 40}},
        {"numbers": {"samples": 21}},
        {"numbers": {"samples": -4}},
        {"numbers": {"mu": 2.0}},
        {"numbers": {"mu": "1"}},
        {"numbers": {"more": 1}},
        {"arrays": {"far": np.zeros(3)}},
        {"arrays": {"before": np.zeros(0)}},
        {"arrays": {"power": np.full(9, np.nan)}},
        {"arrays": {"weights": np.zeros(18, np.float32)}},
    ],
)
def test_a_file_that_no_filter_has_written_is_refused(change, tmp_path):
    with pytest.raises(ModelRefused, match="cannot be loaded as it is"):
        forged(change, tmp_path)


def test_files_of_others_are_refused(tmp_path):
    AdaptiveFilter(taps=4).save(tmp_path / "f")
    with pytest.raises(ModelRefused, match=r"no block filter; use AdaptiveFilter\.load"):
        BlockFilter.load(tmp_path / "f")
    BlockFilter(taps=4).save(tmp_path / "b")
    with pytest.raises(ModelRefused, match="a block filter; use BlockFilter"):
        AdaptiveFilter.load(tmp_path / "b")
    with pytest.raises(ModelRefused, match="cannot be loaded"):
        Learner.load(tmp_path / "b")


def test_a_filter_that_no_file_may_hold_leaves_the_good_file(tmp_path):
    filter = BlockFilter(taps=8)
    filter.save(tmp_path / "f")
    with np.errstate(all="ignore"):
        filter.run(np.full(16, 1e200), np.full(16, 1e200))
    with pytest.raises(
        ModelRefused, match="not saved: its signals were too loud; reset the filter"
    ):
        filter.save(tmp_path / "f")
    assert BlockFilter.load(tmp_path / "f").samples_ == 0


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
