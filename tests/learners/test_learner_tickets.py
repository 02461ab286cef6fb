"""Labels that come late: ``ask`` and ``answer``."""

from datetime import date
from uuid import UUID

import numpy as np
import pytest

from fenchel import Learner, learners
from fenchel.learners import from_specification
from fenchel.models import ModelRefused

LATE = [
    "perceptron",
    "arow",
    "arow:diagonal=no,form=original",
    "gradient_descent:loss=logistic,averaged=yes",
    "coin_betting",
    "auto",
]


def stream(rows=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, 4))
    return X, np.where(X @ [1.0, -1.0, 0.5, 0.0] + 0.3 * rng.standard_normal(rows) > 0, 1.0, -1.0)


def with_delay(learner, X, y, delay, step="old"):
    """The margins of a run in which each label comes ``delay`` rounds after its prediction."""
    margins = []
    for t in range(len(y) + delay):
        if t < len(y):
            margins.append(learner.ask(X[t : t + 1], id=t).margin)
        if t >= delay:
            learner.answer(t - delay, y[t - delay], step=step)
    return np.array(margins)


@pytest.mark.parametrize("text", LATE)
@pytest.mark.parametrize("step", ["old", "fresh"])
def test_no_delay_is_plain_learning_bit_for_bit(text, step):
    X, y = stream()
    late, plain = from_specification(text), from_specification(text)
    asked, learned = with_delay(late, X, y, 0, step), plain.learn_many(X, y)
    assert "averaged" in text or asked.tolist() == learned.tolist()
    for name, array in late.state_arrays().items():
        assert array.tobytes() == plain.state_arrays()[name].tobytes(), name


@pytest.mark.parametrize("task", ["multiclass", "regression"])
def test_no_delay_is_plain_learning_for_the_other_tasks(task):
    X, y = stream()
    y = np.arange(len(y)) % 3 if task == "multiclass" else y + X[:, 0]
    late, plain = learners.auto(task), learners.auto(task)
    for t in range(len(y)):
        ticket = late.ask(X[t : t + 1])
        late.answer(ticket, y[t])
    plain.learn_many(X, y)
    assert np.array_equal(late.decision_many(X), plain.decision_many(X))


def test_the_old_step_is_gradient_descent_at_the_old_margin():
    X, y = stream()
    learner = learners.gradient_descent(
        schedule="constant", loss="squared", eta=0.02, intercept=False
    )
    found = with_delay(learner, X, y, 7)
    w, known = np.zeros(4), []
    for t in range(len(y)):
        known.append(float(w @ X[t]))
        if t >= 7:
            w = w + 0.02 * (y[t - 7] - known[t - 7]) * X[t - 7]
    np.testing.assert_allclose(found, known, atol=1e-12)


@pytest.mark.parametrize("text", ["arow", "auto"])
def test_saved_in_the_middle_is_resumed_bit_for_bit(text, tmp_path):
    X, y = stream()
    learner = from_specification(text)
    for t in range(100):
        learner.ask({"a": X[t, 0], "b": X[t, 1]}, id=f"row {t}")
        if t >= 20:
            learner.answer(f"row {t - 20}", y[t - 20])
    learner.save(tmp_path / "m")
    twin = Learner.load(tmp_path / "m")
    assert list(twin.tickets.waiting) == list(learner.tickets.waiting)
    for one in (learner, twin):
        for t in range(80, 100):
            one.answer(f"row {t}", y[t])
    for name, array in learner.state_arrays().items():
        assert array.tobytes() == twin.state_arrays()[name].tobytes(), name


def test_tickets_expire_by_number_and_by_age():
    learner = learners.perceptron()
    learner.tickets.most = 3
    for t in range(5):
        learner.ask([[1.0]], id=t)
    assert list(learner.tickets.waiting) == [2, 3, 4]
    learner.tickets.age = 2
    learner.ask([[1.0]], id=5)
    assert list(learner.tickets.waiting) == [4, 5]
    assert learner.tickets.expired == 4
    with pytest.raises(ValueError, match="no ticket 0 is waiting"):
        learner.answer(0, 1)


def test_an_id_waits_once_and_a_refused_label_leaves_it_waiting():
    learner = learners.auto("regression")
    learner.ask([[1.0]], id="a")
    with pytest.raises(ValueError, match="id='a' waits"):
        learner.ask([[1.0]], id="a")
    with pytest.raises(ValueError, match="finite"):
        learner.answer("a", float("nan"))
    learner.answer("a", 1.0)
    assert learner.rounds == 1


@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize("text", ["arow", "auto", "lms"])
@pytest.mark.parametrize(
    ("refused", "why"),
    [
        ({"w": -1.0}, "importance"),
        ({"y": np.nan}, "nan"),
        ({"step": "new"}, "step='new'"),
        ({"ticket": "q"}, "no ticket 'q' is waiting"),
    ],
)
def test_a_refused_answer_leaves_everything_as_it_was(text, refused, why, frozen, tmp_path):
    learner, (X, y) = from_specification(text), stream(20)
    learner.learn_many(X, y)
    for t in range(3):
        learner.ask(X[t], id=f"q{t}")
    if frozen:
        learner.freeze()
    learner.save(tmp_path / "before")
    with pytest.raises(ValueError, match=why):
        learner.answer(**{"ticket": "q2", "y": 1.0, **refused})
    learner.save(tmp_path / "after")
    assert (tmp_path / "after").read_bytes() == (tmp_path / "before").read_bytes()
    assert learner.is_frozen == frozen


@pytest.mark.parametrize("limit", [{"most": 4}, {"age": 4}])
def test_after_a_refused_answer_the_oldest_tickets_still_expire_first(limit):
    learner = learners.arow(classes=["a", "b"])
    vars(learner.tickets).update(limit)
    for t in range(4):
        learner.ask([1.0, t], id=f"q{t}")
    with pytest.raises(ValueError, match="third"):
        learner.answer("q3", "third")
    for t in range(4, 6):
        learner.ask([1.0, t], id=f"q{t}")
    assert list(learner.tickets.waiting) == ["q2", "q3", "q4", "q5"]
    assert learner.tickets.expired == 2


def test_numbers_that_the_learner_gives_pass_over_ids_that_wait(tmp_path):
    learner = learners.arow()
    for id in (1, 2, 4):
        learner.ask([1.0, 1.0], id=id)
    assert [learner.ask([1.0, 2.0]).id for _ in range(3)] == [3, 5, 6]
    learner.answer(6, True)
    learner.save(tmp_path / "m")
    for one in (learner, Learner.load(tmp_path / "m")):
        assert one.ask([1.0, 2.0]).id == 7  # no number is given twice


@pytest.mark.parametrize(
    ("id", "kept"),
    [
        (np.int64(5), 5),
        (np.str_("a"), "a"),
        (np.float32(0.5), 0.5),
        (("a", (np.uint8(1), 2)), ("a", (1, 2))),
    ],
)
def test_ids_are_kept_as_a_file_gives_them_back(id, kept, tmp_path):
    learner = learners.arow()
    assert repr(learner.ask([1.0, 2.0], id=id).id) == repr(kept)
    learner.save(tmp_path / "m")
    for one in (learner, Learner.load(tmp_path / "m")):
        one.answer(id, True)
        assert not one.tickets.waiting


@pytest.mark.parametrize(
    "id",
    [
        UUID(int=1),
        date(2026, 1, 1),
        b"a",
        frozenset("a"),
        float("nan"),
        np.datetime64("2026-01-01"),
        np.longdouble(1.0),
        ["a"],
        ("a", b"b"),
    ],
)
def test_an_id_that_no_file_holds_is_refused_before_anything_is_known_of_its_row(id):
    learner = learners.arow()
    with pytest.raises(ValueError, match=r"id=.* cannot be kept in a model file: give a string or"):
        learner.ask({"a": 1.0}, id=id)
    assert learner.names is None
    assert learner.tickets.clock == 0


@pytest.mark.parametrize("delay", [0, 1, 10, 50])
@pytest.mark.parametrize("text", ["gradient_descent:schedule=constant,eta=0.1", "lms:eta=0.02"])
def test_the_bound_with_the_delay_in_it_holds(text, delay):
    X, y = stream(300)
    learner = from_specification(text + ",certify=yes")
    with_delay(learner, X, y, delay)
    found = learner.certificates()
    assert found
    assert all(c.theorem == "Delayed mirror descent" and c.applies and c.holds for c in found)


def test_the_lag_in_the_bound_is_what_the_steps_while_waiting_add_up_to():
    learner = learners.gradient_descent(schedule="constant", eta=1.0, certify=True, intercept=False)
    for t in range(3):
        learner.ask([[1.0]], id=t)
    for t in range(3):  # hinge loss at margin 0: three steps of length 1
        learner.answer(t, 1 if t < 2 else -1)
    # lags: 0 + 1·1 + 1·2; f(u) = ½; squares ½·3
    assert learner.certificate([1.0]).bound == 0.5 + 1.5 + 3.0


def test_a_fresh_step_has_no_theorem():
    X, y = stream(40)
    learner = learners.lms(certify=True)
    with_delay(learner, X, y, 3, step="fresh")
    assert not any(c.applies for c in learner.certificates())


@pytest.mark.parametrize("array", ["lengths", "widths", "columns", "ledger"])
def test_tickets_that_do_not_fit_are_refused(array, tmp_path):
    from fenchel import models

    learner = learners.perceptron()
    learner.ask([[1.0, 2.0]])
    learner.save(tmp_path / "m")
    arrays, metadata = models.read(tmp_path / "m")
    arrays = {k: np.array(v) for k, v in arrays.items()}
    arrays[f"tickets.{array}"] = arrays[f"tickets.{array}"][:-1]
    metadata = {k: v for k, v in metadata.items() if k not in ("format", "version")}
    models.write(tmp_path / "n", arrays, metadata)
    with pytest.raises(ModelRefused):
        Learner.load(tmp_path / "n")


@pytest.mark.parametrize(("text", "step"), [("auto", "fresh"), ("arow", "old")])
def test_experts_of_a_mixture_step_from_today_and_other_learners_by_the_theorem(text, step):
    X, y = stream()
    plain, named = from_specification(text), from_specification(text)
    assert with_delay(plain, X, y, 9, None).tolist() == with_delay(named, X, y, 9, step).tolist()


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_a_mixture_is_charged_for_what_it_chose_from_when_it_was_asked(task):
    """Late labels that follow each other are easy to tell once the neighbours' are known."""
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((240, 3)), np.repeat(rng.integers(0, 3, 8), 30).astype(float)
    y = {"binary": np.where(y > 0, 1.0, -1.0), "multiclass": y, "regression": y}[task]
    learner = learners.auto(task, classes=None if task == "regression" else sorted({*y.tolist()}))
    choice, lost = learner.engine.blend.choice, np.zeros(2)
    begun, codes = choice.losses[-2:].copy(), {label: k for k, label in enumerate(sorted({*y}))}
    bounds = np.array([np.inf, -np.inf])
    for t in range(len(y) + 25):
        if t < len(y):
            learner.ask(X[t], id=t)
        if t >= 25:
            row = t - 25
            chosen = learner.tickets.waiting[row].memo[-4:-2]
            if task == "regression":
                held = np.clip(chosen, *bounds) if bounds[0] <= bounds[1] else chosen
                lost += 0.5 * (held - y[row]) ** 2
                bounds = np.array([min(bounds[0], y[row]), max(bounds[1], y[row])])
            else:
                lost += chosen != codes[y[row]]
            learner.answer(row, y[row])
    np.testing.assert_allclose(choice.losses[-2:] - begun, lost, rtol=1e-12)
