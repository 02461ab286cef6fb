"""Which theorem is offered for which learner, without the compiler; prints {learner: theorems}."""

import json

import numpy as np

from fenchel import learners
from fenchel.regularizers import Ball, Box, Simplex

RNG = np.random.default_rng(0)
X = RNG.normal(size=(12, 3))
X /= np.linalg.norm(X, axis=1, keepdims=True)
NUMBERS = X @ [1.0, -2.0, 0.5]
FORMS = (
    "gradient_descent:schedule=constant",
    "gradient_descent:loss=logistic",
    "dual_averaging:indexing=xiao",
    "arow:diagonal=no",
    "arow:form=original",
    "arow:form=original,diagonal=no",
    "second_order_perceptron:diagonal=no",
    "vovk_azoury_warmuth:diagonal=yes",
    "exponentiated_gradient:signed=no",
    "exponentiated_gradient:adaptive=yes",
    "sketched_newton:sketch=frequent_directions",
)
DOMAINS = {"box": Box(-0.5, 0.5), "ball": Ball(0.7), "simplex": Simplex()}


def offered(learner):
    learner.learn_many(X, NUMBERS if learner.task == "regression" else np.sign(NUMBERS))
    return [f"{c.theorem}, {c.equation}" for c in learner.certificates(np.full(3, 1.0 / 3.0))]


def main():
    names = [name for name, entry in learners.CATALOGUE.items() if "certify" in parameters(name)]
    table = {}
    for text in (*names, *FORMS):
        if text in ("hedge", "auto"):
            continue
        joint = "," if ":" in text else ":"
        learner = learners.from_specification(f"{text}{joint}certify=yes,intercept=no")
        table[text] = offered(learner)
    for name, domain in DOMAINS.items():
        for schedule in ("sqrt", "constant"):
            learner = learners.gradient_descent(
                domain=domain, schedule=schedule, certify=True, intercept=False
            )
            table[f"gradient_descent on a {name}, {schedule}"] = offered(learner)
    print(json.dumps(table))


def parameters(name):
    from fenchel.learners.registry import parameters_of

    return parameters_of(name)


if __name__ == "__main__":
    main()
