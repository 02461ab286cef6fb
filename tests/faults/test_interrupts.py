"""Signals whose handlers raise, at any instant: a learner is whole, and so is the file it was saved in."""

import random
import signal
import threading

import pytest
from numba.core import compiler_lock

from attack import interrupts
from attack.kinds import KINDS, X, rows_as_dicts
from fenchel import Learner, learners
from fenchel._numba.jit import kernel
from fenchel._numba.undisturbed import surely, undisturbed


def test_learners_of_all_kinds(tmp_path, record_property):
    for what, count in interrupts.campaign(random.Random(11), tmp_path, 150).items():
        record_property(what, count)


def test_a_signal_waits_for_the_end_and_is_raised_then():
    done = []

    def change():
        with undisturbed:
            with undisturbed:
                signal.raise_signal(signal.SIGALRM)
            done.append(1)

    before = signal.signal(signal.SIGALRM, interrupts.raise_interrupted)
    try:
        with pytest.raises(interrupts.Interrupted):
            change()
        assert done == [1]
        assert signal.getsignal(signal.SIGALRM) is interrupts.raise_interrupted
    finally:
        signal.signal(signal.SIGALRM, before)


def test_a_signal_that_comes_twice_is_raised_once():
    before = signal.signal(signal.SIGALRM, interrupts.raise_interrupted)
    try:
        with pytest.raises(interrupts.Interrupted):
            surely(lambda: [signal.raise_signal(signal.SIGALRM) for _ in range(3)])
        with undisturbed:
            pass
    finally:
        signal.signal(signal.SIGALRM, before)


def test_handlers_that_are_the_systems_own_stay():
    before = signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    with undisturbed:
        signal.raise_signal(signal.SIGUSR1)
    assert signal.getsignal(signal.SIGUSR1) is signal.SIG_IGN
    signal.signal(signal.SIGUSR1, before)


def test_a_change_is_made_surely_although_a_signal_comes_before_it():
    done = []
    before = signal.signal(signal.SIGALRM, interrupts.raise_interrupted)
    try:
        with pytest.raises(interrupts.Interrupted):
            surely(lambda: (signal.raise_signal(signal.SIGALRM), done.append(1)))
        assert done
    finally:
        signal.signal(signal.SIGALRM, before)


def test_the_compilers_lock_is_free_after_a_signal(monkeypatch):
    """Numba takes it in Python: what a signal raised just behind would have left it locked."""
    lock = compiler_lock.global_compiler_lock
    take = type(lock).acquire

    def take_and_be_disturbed(self):
        take(self)
        signal.raise_signal(signal.SIGALRM)

    @kernel
    def doubled(x):
        return 2.0 * x

    before = signal.signal(signal.SIGALRM, interrupts.raise_interrupted)
    try:
        with monkeypatch.context() as patch:
            patch.setattr(type(lock), "acquire", take_and_be_disturbed)
            with pytest.raises(interrupts.Interrupted):
                doubled(1.0)
    finally:
        signal.signal(signal.SIGALRM, before)
    free = []

    def take_and_give_back():
        free.append(lock._lock.acquire(timeout=10.0))
        lock._lock.release()

    other = threading.Thread(target=take_and_give_back)
    other.start()
    other.join()
    assert free == [True]


@pytest.mark.parametrize("kind", ["perceptron", "auto", "max margin"])
def test_an_exception_inside_learning_puts_everything_back(kind, monkeypatch, tmp_path):
    make, y = KINDS[kind]
    learner = make()
    learner.learn_many(rows_as_dicts(X), y)
    before = interrupts.whole_state(learner)

    def stopped(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(type(learner.engine), "learn", stopped)
    with pytest.raises(KeyboardInterrupt):
        learner.learn_one({"new": 1.0}, y[0])
    with pytest.raises(KeyboardInterrupt):
        learner.learn_many([{"newer": 1.0}], y[:1])
    assert interrupts.whole_state(learner) == before
    learner.save(tmp_path / "m")
    assert interrupts.whole_state(Learner.load(tmp_path / "m")) == before


def test_a_model_that_is_not_whole_does_not_replace_one_that_is(tmp_path):
    learner = learners.perceptron()
    learner.learn_one({"a": 1.0}, True)
    learner.save(tmp_path / "m")
    good = (tmp_path / "m").read_bytes()
    learner.engine.regularizer.theta[1] = float("nan")
    with pytest.raises(ValueError, match="no run leaves behind"):
        learner.save(tmp_path / "m")
    assert (tmp_path / "m").read_bytes() == good
