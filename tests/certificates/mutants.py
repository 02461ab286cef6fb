"""Updates broken on purpose, one line each, in every family; who finds out? (A script.)

Run without the compiler, so that a function's code can be exchanged in place. Each mutant goes
before three examiners in turn: the contract of its regularizer (``check_regularizer``), the
certificates of its learners (each must hold, and agree with the one recomputed by Algorithm 1 in
NumPy), and the textbook (the margins of the published algorithm). Prints JSON: mutant → examiner
and what it said; null where none found out.
"""

import importlib
import inspect
import json
import sys
import textwrap
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

sys.path.append(str(Path(__file__).parents[1] / "learners"))

import numpy as np
from learner_cases import BY_ID, drawn
from learner_streams import assert_same_margins
from textbook_basics import progressive

from certificates.certified import learned, stream
from fenchel import regularizers
from fenchel.certificates import agrees
from fenchel.losses import named

STREAMS = 12


class Mutant(NamedTuple):
    """One line of one function, changed; the learners (cases of the tests) that run it."""

    what: str
    where: str  # module.function
    old: str
    new: str
    cases: str
    part: str = ""


MUTANTS = (
    # rules
    Mutant("sign of the subgradient", "rules.steps._subgradient", "-rule.eta", "rule.eta",
           "gradient_descent"),
    Mutant("step of half the length", "rules.steps._subgradient", "-rule.eta *", "-0.5 * rule.eta *",
           "gradient_descent strongly_convex"),
    Mutant("importance forgotten", "rules.steps._subgradient", " * row.importance", "",
           "gradient_descent"),
    Mutant("sign of the conservative step", "rules.steps._conservative", "rule.eta *", "-rule.eta *",
           "perceptron"),
    Mutant("no update at margin 0", "rules.steps._conservative", "<= 0.0", "< 0.0", "perceptron"),
    Mutant("updates on every round", "rules.steps._conservative", "y * margin <= 0.0", "True",
           "perceptron"),
    Mutant("PA step not held by C", "rules.steps._passive_aggressive",
           "min(rule.C * row.importance, amount / size)", "amount / size", "passive_aggressive"),
    Mutant("PA step over ‖x‖, not ‖x‖²", "rules.steps._passive_aggressive",
           "amount / size)", "amount / np.sqrt(size))", "passive_aggressive"),
    Mutant("tuned rate: X_t stale by a round", "rules.steps._tuned",
           "rule.level[0] / size", "max(before, 1e-3) / size", "tuned_aggressive"),
    Mutant("tuned rate: β dropped", "rules.steps._tuned", "rule.beta * y * margin", "y * margin",
           "tuned_aggressive"),
    Mutant("target: residual in its place", "rules.steps._target", "row.importance * y",
           "row.importance * (y - margin)", "vovk_azoury_warmuth-diagonal"),
    Mutant("sign of the residual", "rules.steps._residual", "(y - margin)", "(margin - y)", "lms"),
    Mutant("residual not normalised", "rules.steps._normalized_residual", " / size)", ")",
           "normalized_lms"),
    Mutant("AROW: r dropped from the step", "rules.steps._original_arow",
           " + rule.r / row.importance", "", "arow-original-diagonal"),
    Mutant("SCW: φ in place of φ²", "rules.steps._soft_confidence", "square = rule.phi * rule.phi",
           "square = rule.phi", "soft_confidence_weighted"),
    # Euclidean, composite, AdaGrad
    Mutant("sign of z", "regularizers.euclidean._absorb", "before + coefficient * x",
           "before - coefficient * x", "perceptron", "Euclidean"),
    Mutant("√t one round late", "regularizers.composite._look", "f.rounds[0] + 1.0 - f.lag",
           "f.rounds[0] + 0.0 - f.lag", "dual_averaging", "Composite"),
    Mutant("t never counted", "regularizers.composite._commit", "f.rounds[0] += 1.0",
           "f.rounds[0] += 0.0", "gradient_descent", "Composite"),
    Mutant("t counted on updates only", "regularizers.composite._commit",
           "f.rounds[0] += 1.0", "f.rounds[0] += coefficient != 0.0", "dual_averaging", "Composite"),
    Mutant("curvature without its root", "regularizers.composite._look", "np.sqrt(max(t, 1.0))",
           "max(t, 1.0)", "gradient_descent", "Composite"),
    Mutant("threshold not soft", "regularizers.domains.protocol.soft_threshold",
           "value - min(max(value, -threshold), threshold)", "value * (abs(value) > threshold)",
           "dual_averaging", "Composite"),
    Mutant("AdaGrad: root forgotten", "regularizers.adagrad._absorb",
           "np.sqrt(f.squares[slot])", "f.squares[slot]", "adagrad", "AdaGrad"),
    Mutant("AdaGrad: slope not of the loss", "regularizers.adagrad._absorb",
           "coefficient / f.eta", "coefficient", "adagrad", "AdaGrad"),
    # p-norms
    Mutant("p-norm: exponent off by one", "regularizers.power_sum.change",
           "power(rho, p - 1.0)", "power(rho, p)", "p_norm_perceptron", "PNorm"),
    Mutant("p-norm: old power not taken out", "regularizers.power_sum.change", "before > 0.0",
           "False", "p_norm_perceptron", "PNorm"),
    Mutant("p-norm: factor 2/p", "regularizers.power_sum.gradient_factor", "2.0 / p - 1.0",
           "2.0 / p", "p_norm_perceptron", "PNorm"),
    Mutant("X_t stale by a round", "regularizers.max_norm_scaled._look",
           "min(max(f.level[0], dual_norm_of(f.inner, row)), LARGEST)",
           "f.level[0] or dual_norm_of(f.inner, row)", "p_norm_lms", "MaxNormScaled"),
    Mutant("X_t, not X_t²", "regularizers.max_norm_scaled._product",
           "/ view.level) * (x / view.level)", "/ view.level) * x", "p_norm_lms", "MaxNormScaled"),
    # entropic
    Mutant("entropic: sign of θ", "regularizers.entropic._weight", "s = f.total * f.theta[slot]",
           "s = -f.total * f.theta[slot]", "exponentiated_gradient winnow", "Entropic"),
    Mutant("entropic: the mass forgets what left", "regularizers.entropic._commit",
           "_add(f, -before)", "_add(f, 0.0)", "exponentiated_gradient", "Entropic"),
    Mutant("entropic: untouched coordinates not counted", "regularizers.entropic._sum",
           "f.mass[0] + f.error[0] + resting", "f.mass[0] + f.error[0] + 0.5 * resting",
           "exponentiated_gradient", "Entropic"),
    # second order
    Mutant("D_t without x_t", "regularizers.diagonal._weight", " + x * view * x)", ")",
           "second_order_perceptron-diagonal vovk_azoury_warmuth-diagonal", "DiagonalQuadratic"),
    Mutant("D_t updated on every round", "regularizers.diagonal._commit",
           "coefficient != 0.0 or f.always", "True", "second_order_perceptron-diagonal",
           "DiagonalQuadratic"),
    Mutant("D_t never updated", "regularizers.diagonal._absorb",
           "f.squares[slot] + x * view * x", "f.squares[slot]", "vovk_azoury_warmuth-diagonal",
           "DiagonalQuadratic"),
    Mutant("A_t updated on every round", "regularizers.full_matrix._kept",
           "(coefficient == 0.0 and not f.always)", "False", "second_order_perceptron-full",
           "FullQuadratic"),
    Mutant("A_t without r", "regularizers.full_matrix._kept", "row.importance / f.r", "row.importance",
           "second_order_perceptron-full", "FullQuadratic"),
    Mutant("the prediction without x_t in A_t", "regularizers.full_matrix._sighted",
           "shrink = r / (r + chi)", "shrink = 1.0", "vovk_azoury_warmuth-full", "FullQuadratic"),
    Mutant("a rotation of the wrong sign", "regularizers.qr_update.rotate_in",
           "cosine * rest[j] - sine * above", "cosine * rest[j] + sine * above",
           "vovk_azoury_warmuth-full", "FullQuadratic"),
    Mutant("Gaussian: variance not shrunk", "regularizers.gaussian._keep_quotient",
           "f.squares[slot] + x * growth * x", "f.squares[slot]", "arow-original-diagonal"),
    Mutant("Newton: ⟨g, w⟩ dropped", "regularizers.newton._kept",
           "(slope * view.margin - f.eta)", "(-f.eta)", "online_newton_step"),
    # scale-invariant and other relatives
    Mutant("b_t stale by a round", "regularizers.scale_invariant_adagrad._product",
           "abs(x) <= f.largest[slot]", "f.largest[slot] > 0.0", "scale_invariant_adagrad",
           "ScaleInvariantAdaGrad"),
    Mutant("√d dropped", "regularizers.scale_invariant_adagrad._look",
           "1.0 / np.sqrt(max(f.dimension[0], 1.0))", "1.0", "scale_invariant_adagrad",
           "ScaleInvariantAdaGrad"),
    Mutant("L dropped", "regularizers.scale_invariant_adagrad._grown",
           "f.lipschitz * f.lipschitz + squares", "squares + 1e-12",
           "scale_invariant_adagrad", "ScaleInvariantAdaGrad"),
    Mutant("gradient not over b_t", "regularizers.scale_invariant_adagrad._divided",
           "in_units(x, b, f.units[slot])", "x", "scale_invariant_adagrad", "ScaleInvariantAdaGrad"),
    Mutant("coins: reward forgotten", "regularizers.coin._absorb", "f.reward[slot] + coin * f.bets[slot]",
           "f.reward[slot]", "coin_betting"),
    Mutant("coins: stake before the coin", "regularizers.coin._absorb", "stakes + 1.0",
           "f.stakes[slot] + 2.0", "coin_betting"),
    Mutant("normalised: t not counted", "regularizers.normalized._commit", "f.rounds[0] += 1.0",
           "f.rounds[0] = 1.0", "normalized_adaptive_gradient"),
    Mutant("FTRL: centres dropped", "regularizers.ftrl._commit",
           " + sigma * weight(f, view, j, 0.0)", "", "ftrl_proximal"),
)  # fmt: skip


@contextmanager
def in_place(mutant: Mutant) -> Iterator[None]:
    """The function with its code exchanged; every table and import that holds it runs the mutant."""
    module_name, _, name = mutant.where.rpartition(".")
    module = importlib.import_module(f"fenchel.{module_name}")
    function = getattr(module, name)
    source = textwrap.dedent(inspect.getsource(function))
    source = source[source.index("def ") :]
    assert source.count(mutant.old) >= 1, f"{mutant.where} has no {mutant.old!r} any more"
    changed = source.replace(mutant.old, mutant.new)
    if "before" in mutant.new and "before =" not in changed:  # what was there a round ago
        changed = changed.replace(
            "    rule.level[0] =", "    before = rule.level[0]\n    rule.level[0] ="
        )
    namespace = dict(vars(module))
    exec(compile(changed, mutant.where, "exec"), namespace)
    original = function.__code__
    function.__code__ = namespace[name].__code__
    try:
        yield
    finally:
        function.__code__ = original


def contract(part: str) -> str | None:
    """What ``check_regularizer`` objects to."""
    if not part:
        return None
    cls = getattr(regularizers, part)
    made = cls(regularizers.PNorm(p=3.0)) if part == "MaxNormScaled" else cls()
    made = made._replace(l1=0.1, l2=0.1) if "l1" in made._fields else made
    made = made._replace(p=3.0) if "p" in made._fields else made
    try:
        regularizers.check_regularizer(made)
    except ValueError as flaw:
        return str(flaw)
    return None


def certificates(case_id: str) -> str | None:
    """The first certificate that fails, or that Algorithm 1 in NumPy does not confirm."""
    case = BY_ID[case_id]
    for seed in range(STREAMS):
        rng = np.random.default_rng(seed)
        parameters = case.parameters(rng, 1.0, widely=False)
        loss = named(parameters["loss"]) if "loss" in parameters else None
        task = loss.task if loss is not None else case.tasks[0]
        kind, X, y, weights = stream(rng, task, ("plain", "adversary", "sparse", "units")[seed % 4])
        learner = learned(case.name, parameters, kind, X, y, weights, rng, intercept=bool(seed % 2))
        if (
            not np.isfinite(learner.engine.parts.ledger.loss[0])
            or learner.engine.parts.ledger.loss[0] > 1e12
        ):
            continue
        d = learner.columns + learner.intercept
        for u in (np.zeros(d), rng.normal(size=d)):
            try:
                told = learner.certificates(u)
            except ValueError as refused:  # the stream does not fit the ledger
                return str(refused)
            for c in told:
                if c.kind == "printed" or not c.applies:
                    continue
                if c.violated:
                    return f"{c.theorem}, {c.equation}: {c.achieved:.4g} > {c.bound:.4g}"
                again = learner.verify(c)
                if not agrees(c, again, 1e-6):
                    return (
                        f"{c.theorem}, {c.equation} is not that of Algorithm 1: "
                        f"{c.achieved:.6g} ≤ {c.bound:.6g}, there {again.achieved:.6g} ≤ {again.bound:.6g}"
                    )
    return None


def textbook(case_id: str) -> str | None:
    """The first margin that differs from the published algorithm's."""
    case = BY_ID[case_id]
    for seed in range(STREAMS):
        given, parameters, intercept = drawn(case, ("dense", "sparse", "constant")[seed % 3], seed)
        X = given.with_intercept(intercept)
        learner = case.learner(parameters, intercept=intercept)
        run = progressive(case.book(X.shape[1], **parameters), X, given.y, given.importance)
        margins = learner.learn_many(given.csr, given.y, given.importance)
        try:
            assert_same_margins(margins, run, given.y, rounding=case.rounding)
        except AssertionError as difference:
            return str(difference).splitlines()[0]
    return None


def examined(mutant: Mutant) -> list[str] | None:
    """The first examiner that finds out, and what it says."""
    flaw = contract(mutant.part)
    if flaw is not None:
        return ["contract", flaw]
    for name, examiner in (("certificate", certificates), ("textbook", textbook)):
        for case_id in mutant.cases.split():
            flaw = examiner(case_id)
            if flaw is not None:
                return [name, f"{case_id}: {flaw}"]
    return None


def main() -> None:
    sound = {
        case: examined(Mutant("", "", "", "", case)) for m in MUTANTS for case in m.cases.split()
    }
    parts = {m.part: contract(m.part) for m in MUTANTS if m.part}
    found = {}
    assert len({mutant.what for mutant in MUTANTS}) == len(MUTANTS)
    for mutant in MUTANTS:
        with in_place(mutant):
            found[mutant.what] = examined(mutant)
    json.dump({"mutants": found, "sound": {**sound, **parts}}, sys.stdout)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    main()
