"""The table of learners and theorems: what is offered for each, and nothing else."""

from kernel.plain_python import plain_python

LEMMA = ["Lemma 1, general"]
RESIDUE = ["Lemma 1, general", "Lemma 1, eq. (residue)"]
COMPOSITE = ["Corollary 1, from Lemma 1", "Corollary 1, eq. (composite_bound)"]
TUNED = [*COMPOSITE, "Corollary 1, eq. (tuned-bound)"]
HINGE = ["Hinge lemma, eq. (pre-mb), λ = 1", "Hinge lemma, best λ"]
MISTAKES = [
    "Corollary 2, eq. (gen_aggr_bound2)",
    "Corollary 2, closing form, corrected",
    "Corollary 2, closing form, as printed",
]
FIXED = [*RESIDUE, *HINGE, *MISTAKES]
CONSTANT = [*RESIDUE, *COMPOSITE, *HINGE, *MISTAKES]
FILTERING = ["Adaptive filtering, Section 4"]
SECOND = [
    "Second-order bound, Section 6.2, first line",
    "Second-order bound, Section 6.2",
    "Second-order bound, as known for AROW",
]
DIAGONAL = ["Diagonal bound, eq. (diag-bound)"]

EXPECTED = {
    # Section 3
    "gradient_descent": [*RESIDUE, *TUNED, *HINGE],
    "gradient_descent:schedule=constant": CONSTANT,
    "gradient_descent:loss=logistic": [*RESIDUE, *TUNED],
    "gradient_descent on a box, sqrt": [*LEMMA, *TUNED, *HINGE],
    "gradient_descent on a box, constant": CONSTANT,
    "gradient_descent on a ball, sqrt": [*LEMMA, *TUNED, *HINGE],
    "gradient_descent on a ball, constant": CONSTANT,
    "gradient_descent on a simplex, sqrt": TUNED[1:],
    "gradient_descent on a simplex, constant": CONSTANT,
    "dual_averaging": [*LEMMA, *TUNED],
    "dual_averaging:indexing=xiao": [*LEMMA, *COMPOSITE],
    "strongly_convex": [*RESIDUE, *COMPOSITE, "Corollary 1, eq. (log-bound)", *HINGE],
    "exponentiated_gradient": [*LEMMA, *COMPOSITE],
    "exponentiated_gradient:signed=no": [*LEMMA, *COMPOSITE],
    "exponentiated_gradient:adaptive=yes": [
        *LEMMA,
        *COMPOSITE,
        "Adaptive exponentiated gradient, general",
        "Adaptive exponentiated gradient, Steinhardt & Liang",
    ],
    "adagrad": [*LEMMA, *COMPOSITE, "AdaGrad, Duchi et al.", *HINGE],
    # Section 4
    "vovk_azoury_warmuth": [
        *RESIDUE,
        "Vovk-Azoury-Warmuth, from Lemma 1",
        "Vovk-Azoury-Warmuth, sum",
        "Vovk-Azoury-Warmuth, log-determinant",
    ],
    "vovk_azoury_warmuth:diagonal=yes": [*LEMMA, "Vovk-Azoury-Warmuth, from Lemma 1"],
    "p_norm_lms": [*LEMMA, *COMPOSITE, *FILTERING],
    "lms": [*RESIDUE, *COMPOSITE, *FILTERING],
    "normalized_lms": RESIDUE,
    # Section 5
    "scale_invariant_p_norm": [
        *LEMMA,
        *COMPOSITE,
        "Theorem 1, first bound, with β_{T+1}",
        "Theorem 1, first bound",
        *HINGE,
    ],
    "scale_invariant_adagrad": [
        *LEMMA,
        *COMPOSITE,
        "Theorem 1, eq. (tocompare)",
        "Theorem 1, second bound",
        "Theorem 1, tuned to a box",
        *HINGE,
    ],
    # Section 6
    "perceptron": FIXED,
    "p_norm_perceptron": FIXED,
    "passive_aggressive": FIXED,
    "tuned_aggressive": FIXED,
    "winnow": LEMMA,
    "second_order_perceptron": [*LEMMA, *HINGE, *DIAGONAL, "Rare-feature bound, Section 6.3"],
    "second_order_perceptron:diagonal=no": [*RESIDUE, *HINGE, *SECOND],
    "arow": [*LEMMA, *COMPOSITE, *HINGE, *DIAGONAL],
    "arow:diagonal=no": [*RESIDUE, *COMPOSITE, *HINGE, *SECOND],
    "arow:form=original,diagonal=no": [
        *LEMMA,
        *COMPOSITE,
        *HINGE,
        "AROW, Crammer, Kulesza & Dredze",
    ],
    # not mirror descent with a sum that the ledger could follow
    "arow:form=original": [],
    # of a variant
    "normalized_adaptive_gradient": ["Normalized adaptive gradient, eq. (lang)"],
    "ftrl_proximal": [],
    "online_newton_step": [],
    "sketched_newton": [],
    "sketched_newton:sketch=frequent_directions": [
        "Frequent directions, sum",
        "Frequent directions, log-determinant",
    ],
    "coin_betting": [],
    "naive_bayes": [],
    "scinol": [],
    "freegrad": [],
    "soft_confidence_weighted": [],
}


def test_the_table_of_learners_and_theorems(record_property):
    table = plain_python("certificates/certificate_table.py")
    for learner, theorems in EXPECTED.items():
        assert table[learner] == theorems, learner
    assert set(table) >= set(EXPECTED)
    record_property("pairs of learner and theorem offered", sum(map(len, table.values())))
