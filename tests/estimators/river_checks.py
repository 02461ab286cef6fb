"""River's own checks of every learner as its wrapper gives it: ``python -m tests.estimators.river_checks``.

Those of a few learners are a test; all of them take minutes.
"""

import sys
from collections.abc import Iterator
from typing import Any

from fenchel.cli.build import build
from fenchel.estimators.river import RiverClassifier, RiverRegressor
from fenchel.evaluate import learners_for

TASKS = ("binary", "multiclass", "regression")


def wrapped() -> dict[str, Any]:
    """Every learner of every task in its wrapper, by a name."""
    found: dict[str, Any] = {}
    for task in TASKS:
        adapter = RiverRegressor if task == "regression" else RiverClassifier
        for text in learners_for(task, 10):
            found[f"{task} {text}"] = adapter(build(text, task))
    return found


def failures(model: Any, memory: bool = True) -> Iterator[str]:
    """What River's checks find; those of memory take longest."""
    from river.checks import yield_checks

    for check in yield_checks(model):
        if not memory and check.__name__ == "check_bounded_memory_growth":
            continue
        try:
            check(model.clone())
        except Exception as error:
            yield f"{check.__name__}: {type(error).__name__} {str(error)[:100]}"


def main(words: list[str]) -> int:
    """Check every learner, or those whose names hold one of the words."""
    failed = 0
    for name, model in wrapped().items():
        if words and not any(word in name for word in words):
            continue
        found = list(failures(model))
        failed += bool(found)
        print(name, *(found or ["passes"]), sep="\n  " if found else ": ", flush=True)
    print(f"{failed} fail")
    return int(failed > 0)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
