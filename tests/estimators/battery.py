"""scikit-learn's whole battery of estimator checks over learners; run as a script, without the JIT.

Uncompiled, the small data of the battery is learned faster than the loops would compile. Two numbers k and i
as arguments take every k-th estimator from the i-th on: the tests take every tenth.
"""

import sys
import warnings

from sklearn.exceptions import SkipTestWarning
from sklearn.utils.estimator_checks import check_estimator

from fenchel import learners
from fenchel.estimators import EXPECTED_FAILED_CHECKS, OnlineClassifier, OnlineRegressor

# The battery wants a score after one fit: what one pass of these learners needs to reach it.
PASSES = {"perceptron": 10, "p_norm_perceptron": 10, "winnow": 10}
STEADY = {
    "gradient_descent": "eta=0.1,loss=squared",
    "dual_averaging": "eta=0.1,loss=squared",
    "strongly_convex": "l2=1,loss=squared",
    "passive_aggressive": "loss=epsilon_insensitive",
    "scale_invariant_p_norm": "loss=huber",
    "scale_invariant_adagrad": "loss=huber",
    "coin_betting": "loss=huber",
    "exponentiated_gradient": "loss=squared",
    "adagrad": "loss=squared",
    "normalized_adaptive_gradient": "loss=squared",
    "ftrl_proximal": "loss=squared",
    "online_newton_step": "loss=squared",
    "sketched_newton": "eta=1,loss=squared",
}


def estimators():
    for name, entry in learners.CATALOGUE.items():
        if name in learners.NESTED:  # these take learners, not numbers
            continue
        if "binary" in entry.tasks:
            yield OnlineClassifier(name, passes=PASSES.get(name, 1))
        if "regression" in entry.tasks:
            yield OnlineRegressor(f"{name}:{STEADY[name]}" if name in STEADY else name)


def main(every: int = 1, first: int = 0) -> int:
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", SkipTestWarning)  # array API input, where it is not switched on
    failures = checks = 0
    for estimator in list(estimators())[first % every :: every]:
        results = check_estimator(
            estimator, on_fail=None, expected_failed_checks=EXPECTED_FAILED_CHECKS
        )
        checks += len(results)
        for result in results:
            if result["status"] not in ("passed", "skipped", "xfail"):
                failures += 1
                print(estimator, result["check_name"], repr(result["exception"])[:300])
    print(f"{checks} checks, {failures} failures")
    return failures


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
