"""Naive Bayes: how often each feature came with each class, as a linear model."""

from __future__ import annotations

from typing import Unpack

from fenchel.learners.composed import Parts
from fenchel.learners.registry import Options, learner, positive
from fenchel.losses import Logistic
from fenchel.regularizers import LogOdds
from fenchel.rules import Target


@learner(
    tasks=("binary",),
    parts="logistic × log odds of counts × z_t = y_t·x_t",
    equation="multinomial naive Bayes",
    theorem="none (it models the features, not the label)",
    cost="non-zeros, a logarithm each",
)
def naive_bayes(prior: float = 2.0, **options: Unpack[Options]) -> Parts:
    """Multinomial naive Bayes: the log odds of counts, with nothing to descend.

    Problem: two classes, many features of which a row has few, such as the words of a text. What a few
    rows say of a word counts at once, and what other words say does not change it.

    Update: z_t = y_t·x_t in every round. With p_j and q_j how often feature j came with either class, in
    units of its own mean size, and ρ the second class's share of all p + q,

        w_j = ln((p_j + prior·ρ)/(q_j + prior·(1 − ρ))) − ln(ρ/(1 − ρ)),

    the log odds of the feature beyond those of all features together; the intercept is the log odds of
    the classes. A negative value of a feature counts for the other class.

    Guarantee: none here: it is likely where features are independent within a class, which they seldom are.

    Cost: the non-zeros of a row, a logarithm each. Models learned apart add up exactly.

    Parameters: ``prior`` > 0, how many rows a feature is taken to have been in before the first one.
    Importance 2 is the row counted twice. Margins are log odds: far too sure of themselves on long rows.

    References: McCallum & Nigam (1998); Rennie, Shih, Teevan & Karger (2003).

    >>> from fenchel import learners
    >>> learner = learners.naive_bayes(intercept=False)
    >>> learner.learn_many([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [1, -1, 1]).round(6)
    array([0., 0., 0.])
    >>> learner.weights().round(6)
    array([ 0.887303, -0.441833])
    """
    positive(prior=prior)
    return Parts(Logistic(), LogOdds(prior=float(prior)), Target())
