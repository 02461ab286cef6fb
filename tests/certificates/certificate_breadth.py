"""Hundreds of random and adversarial runs without the compiler; prints what did not hold as JSON.

No certificate that promises may be violated, and each must agree with the one that ``verify``
recomputes from the data.
"""

import json
import sys
import warnings

import numpy as np

from certificates.certified import drawn, learned, stream
from fenchel import learners
from fenchel.certificates import agrees
from fenchel.losses import named


def main(seeds):
    counts, tight, worst, variants, wrong, undecided = {}, {}, {}, {}, [], 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        name, parameters = drawn(rng)
        loss = named(parameters["loss"]) if "loss" in parameters else None
        tasks = learners.CATALOGUE[name].tasks
        task = loss.task if loss is not None else tasks[0]
        kind, X, y, weights = stream(rng, task)
        learner = learned(
            name, parameters, kind, X, y, weights, rng, intercept=bool(rng.integers(2))
        )
        if (
            not np.isfinite(learner.engine.parts.ledger.loss[0])
            or learner.engine.parts.ledger.loss[0] > 1e12
        ):
            continue
        d = learner.columns + learner.intercept
        points = [None, np.zeros(d), rng.normal(size=d) * 10.0 ** rng.uniform(-2.0, 1.0)]
        for u in points:
            for c in learner.certificates(u):
                key = f"{c.theorem}, {c.equation}"
                variant = c.kind == "variant"
                if c.kind == "printed" or not (c.applies or variant):
                    continue
                v = learner.verify(c)
                if (c.violated and not variant) or not agrees(c, v, 1e-6):
                    wrong.append([seed, name, str(parameters), kind, str(c), str(v)])
                if variant:
                    variants[c.verdict] = variants.get(c.verdict, 0) + 1
                    continue
                counts[key] = counts.get(key, 0) + c.holds
                undecided += c.undecided
                share = c.slack / max(abs(c.bound), abs(c.achieved), 1e-300)
                tight[key] = tight.get(key, 0) + (abs(share) < 1e-9)
                worst[key] = min(worst.get(key, np.inf), share)
    told = {"counts": counts, "tight": tight, "worst": worst, "wrong": wrong}
    print(json.dumps({**told, "undecided": undecided, "variants": variants}))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(range(int(sys.argv[1]) if len(sys.argv) > 1 else 130))
