"""AdaptiveFilter against loops that write out the definition."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.base import clone

from fenchel import learners
from fenchel.estimators import AdaptiveFilter
from fenchel.learners import Learner
from fenchel.models import ModelRefused

RNG = np.random.default_rng(0)
REFERENCE = RNG.standard_normal(700).cumsum() * 0.1 + RNG.standard_normal(700)
ROOM = np.array([0.5, -0.3, 0.1])
PRIMARY = np.convolve(REFERENCE, ROOM)[:700] + 0.05 * RNG.standard_normal(700)


def lagged(signal, taps, delay):
    """x_t = (r_{t−delay}, …, r_{t−delay−taps+1}), zero before the start."""
    rows = np.zeros((len(signal), taps))
    for t in range(len(signal)):
        for k in range(taps):
            if t - delay - k >= 0:
                rows[t, k] = signal[t - delay - k]
    return rows


def lms_with_learned_level(X, y):
    """w_t = θ_t/X_t², θ_{t+1} = θ_t + (y_t − ⟨w_t, x_t⟩)·x_t, X_t the largest ‖x‖ so far."""
    theta, level, outputs = np.zeros(X.shape[1]), 0.0, []
    for x, target in zip(X, y, strict=True):
        level = max(level, float(x @ x))
        outputs.append(theta @ x / level if level else 0.0)
        theta += (target - outputs[-1]) * x
    return np.array(outputs), theta / level


@pytest.mark.parametrize(("taps", "delay"), [(1, 0), (4, 0), (5, 1), (3, 7)])
def test_the_default_is_the_definition(taps, delay):
    filter = AdaptiveFilter(taps=taps, delay=delay)
    output, error = filter.run(REFERENCE, PRIMARY)
    expected, weights = lms_with_learned_level(lagged(REFERENCE, taps, delay), PRIMARY)
    np.testing.assert_allclose(output, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(filter.coef_, weights, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(error, PRIMARY - output)


def test_least_squares_is_the_definition():
    X = lagged(REFERENCE, 3, 0)
    A, b, expected = np.eye(3), np.zeros(3), []
    for x, y in zip(X, PRIMARY, strict=True):
        A += np.outer(x, x)
        expected.append(x @ np.linalg.solve(A, b))
        b += y * x
    output = AdaptiveFilter("vovk_azoury_warmuth", taps=3).run(REFERENCE, PRIMARY).output
    np.testing.assert_allclose(output, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("learner", ["p_norm_lms", "vovk_azoury_warmuth"])
def test_pieces_and_a_file_between_them_give_the_same_bits(learner, tmp_path, monkeypatch):
    whole = AdaptiveFilter(learner, taps=6, delay=2)
    output, error = whole.run(REFERENCE, PRIMARY)
    monkeypatch.setattr("fenchel.estimators.filter.BLOCK", 50)  # blocks of 8 rows
    pieces, outputs, errors = AdaptiveFilter(learner, taps=6, delay=2), [], []
    cuts = [0, 0, 1, 2, 9, 10, 350, 351, 700]
    for number, (begin, end) in enumerate(pairwise(cuts)):
        part = pieces.run(REFERENCE[begin:end], PRIMARY[begin:end])
        outputs.append(part.output)
        errors.append(part.error)
        pieces.save(tmp_path / f"{number}.fenchel")
        pieces = AdaptiveFilter.load(tmp_path / f"{number}.fenchel")
    assert np.concatenate(outputs).tobytes() == output.tobytes()
    assert np.concatenate(errors).tobytes() == error.tobytes()
    assert pieces.coef_.tobytes() == whole.coef_.tobytes()
    assert pieces.samples_ == 700
    assert (pieces.taps, pieces.delay) == (6, 2)


def test_the_output_never_sees_its_own_sample():
    changed = PRIMARY.copy()
    changed[300:] += 100.0
    before = AdaptiveFilter(taps=4).run(REFERENCE, PRIMARY).output
    after = AdaptiveFilter(taps=4).run(REFERENCE, changed).output
    np.testing.assert_array_equal(before[:301], after[:301])
    assert not np.any(before[302:] == after[302:])


@pytest.mark.parametrize("factor", [1e-6, 1e3])
def test_the_level_of_the_input_does_not_matter(factor):
    plain = AdaptiveFilter(taps=4).run(REFERENCE, PRIMARY)
    loud = AdaptiveFilter(taps=4).run(factor * REFERENCE, PRIMARY)
    both = AdaptiveFilter(taps=4).run(factor * REFERENCE, factor * PRIMARY)
    np.testing.assert_allclose(loud.output, plain.output, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(both.output / factor, plain.output, rtol=1e-9, atol=1e-12)


def test_regret_and_its_bound():
    filter = AdaptiveFilter("p_norm_lms:certify=yes", taps=5, delay=1)
    late = np.concatenate([[0.0], PRIMARY[:-1]])
    output = filter.run(REFERENCE, late).output
    rows = lagged(REFERENCE, 5, 1)
    u = np.concatenate([ROOM, [0.0, 0.0]])
    regret = float(np.sum((output - rows @ u) ** 2))
    assert filter.regret(ROOM, REFERENCE, output) == pytest.approx(regret, rel=1e-9)
    told = {c.theorem: c for c in filter.certificates(ROOM, REFERENCE, late)}
    bound = np.max(np.sum(rows**2, axis=1)) * (u @ u) + np.sum((late - rows @ u) ** 2)
    assert told["Adaptive filtering"].achieved == pytest.approx(regret, rel=1e-9)
    assert told["Adaptive filtering"].bound == pytest.approx(bound, rel=1e-9)
    assert told["Adaptive filtering"].holds
    with pytest.raises(ValueError, match="699 samples, the filter has run over 700"):
        filter.certificates(ROOM, REFERENCE[1:], late[1:])


@pytest.mark.parametrize(
    ("reference", "primary", "message"),
    [
        ([1.0, np.nan], [1.0, 2.0], r"reference\[1\] is nan"),
        ([1.0, 2.0], [np.inf, 2.0], r"primary\[0\] is inf"),
        ([1.0, 2.0], [1.0], "reference has 2 samples, primary 1"),
        ([[1.0, 2.0]], [1.0], "reference has 2 dimensions"),
        ([1.0 + 1j], [1.0], "reference has dtype complex128"),
    ],
)
def test_bad_signals_are_refused_and_nothing_is_learned(reference, primary, message):
    filter = AdaptiveFilter(taps=2)
    filter.run([1.0, 2.0], [1.0, 1.0])
    before = filter.coef_, filter.history_, filter.samples_
    with pytest.raises(ValueError, match=message):
        filter.run(reference, primary)
    np.testing.assert_array_equal(filter.coef_, before[0])
    np.testing.assert_array_equal(filter.history_, before[1])
    assert filter.samples_ == before[2]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"taps": 0}, "taps=0 must be a whole number from 1 to"),
        ({"taps": 2.5}, "taps=2.5 must be a whole number"),
        ({"delay": -1}, "delay=-1 must be a whole number from 0 to"),
        ({"learner": "perceptron"}, "a filter needs regression"),
        ({"learner": "rls"}, "there is no learner 'rls'"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        AdaptiveFilter(**parameters).run(REFERENCE, PRIMARY)


def test_parameters_as_scikit_learn_has_them(tmp_path):
    filter = AdaptiveFilter(learners.normalized_lms(eta=0.3, intercept=False), taps=3)
    filter.run(REFERENCE, PRIMARY)
    assert filter.get_params()["learner__eta"] == 0.3
    twin = clone(filter).set_params(learner__eta=0.1, delay=1)
    assert not hasattr(twin, "learner_")
    assert (
        twin.run(REFERENCE, PRIMARY).output[5] != filter.reset().run(REFERENCE, PRIMARY).output[5]
    )
    with pytest.raises(AttributeError, match="coef_ comes with the first run"):
        clone(filter).coef_  # noqa: B018 (the property is what fails)
    learners.lms().save(tmp_path / "m")
    with pytest.raises(ModelRefused, match="a learner, not a filter"):
        AdaptiveFilter.load(tmp_path / "m")
    filter.save(tmp_path / "f")
    assert Learner.load(tmp_path / "f").rounds == 700


def test_a_filter_that_diverges_says_so(recwarn):
    rng = np.random.default_rng(1)
    reference = np.round(8000.0 * rng.normal(size=400))
    echo = np.convolve(reference, [0.0, 0.5])[:400]
    with pytest.warns(RuntimeWarning, match=r"diverged: at sample \d+ its output is .*e\+"):
        AdaptiveFilter("lms", taps=8).run(reference, echo)
    recwarn.clear()
    AdaptiveFilter(taps=8).run(reference, echo)
    AdaptiveFilter(taps=8).run(reference * 1e140, echo * 1e140)
    assert not recwarn.list


NOISE = np.random.default_rng(4).standard_normal(3000)


@pytest.mark.parametrize(
    ("learner", "samples", "primary"),
    [
        ("lms:eta=0.2", 300, np.convolve(NOISE, [1.0, 0.5])[:3000]),  # ends 10^20 times as loud
        ("lms:eta=0.2", 200, np.convolve(NOISE, [1.0, 0.5])[:3000]),
        ("normalized_lms:eta=0.5", 3000, NOISE[::-1]),  # ends 1.4 times as loud
    ],
)
def test_a_filter_that_leaves_more_than_silence_says_so(learner, samples, primary):
    with pytest.warns(RuntimeWarning, match=r"louder: \S+ times .* smaller eta, p_norm_lms"):
        AdaptiveFilter(learner, taps=16).run(NOISE[:samples], primary[:samples])


@pytest.mark.parametrize(
    "learner", ["auto", "vovk_azoury_warmuth", "normalized_lms:eta=0.02", "normalized_lms:eta=0.1"]
)
@pytest.mark.parametrize("taps", [4, 16])
def test_a_sound_filter_says_nothing_where_there_is_nothing_to_find(learner, taps, recwarn):
    filter = AdaptiveFilter(learner, taps=taps)
    for begin in range(0, 3000, 100):
        filter.run(NOISE[begin : begin + 100], NOISE[::-1][begin : begin + 100])
    assert not recwarn.list


def test_a_loaded_filter_is_judged_by_all_its_samples(tmp_path, recwarn):
    filter = AdaptiveFilter(taps=4)
    filter.run(REFERENCE, PRIMARY)
    filter.save(tmp_path / "f")
    quiet = AdaptiveFilter.load(tmp_path / "f")
    quiet.run(REFERENCE[:50], np.full(50, 1e-6))
    assert quiet.energy_[2] == 750
    assert not recwarn.list


def test_names_from_elsewhere_lead_to_learners():
    from fenchel.learners.catalogue import CATALOGUE, ELSEWHERE

    assert set(ELSEWHERE.values()) <= set(CATALOGUE)
    assert not ELSEWHERE.keys() & CATALOGUE.keys()
