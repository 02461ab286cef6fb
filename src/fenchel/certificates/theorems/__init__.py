"""Every theorem that a run may be certified by, in the paper's order."""

from fenchel.certificates.theorem import Theorem
from fenchel.certificates.theorems import (
    corollary_1,
    hinge_bounds,
    matrix_bounds,
    normalized_bounds,
    square_loss,
    theorem_1,
)

THEOREMS: tuple[Theorem, ...] = (
    corollary_1.lemma_1,
    corollary_1.residue_inequality,
    corollary_1.regret_lemma,
    corollary_1.composite_bound,
    corollary_1.adaptive_bound,
    corollary_1.tuned_bound,
    corollary_1.log_bound,
    square_loss.filtering_bound,
    square_loss.forecaster_lemma,
    square_loss.forecaster_sum,
    square_loss.forecaster_logdet,
    theorem_1.p_norm_inner_bound,
    theorem_1.p_norm_bound,
    theorem_1.adagrad_inner_bound,
    theorem_1.adagrad_bound,
    theorem_1.adagrad_box_bound,
    hinge_bounds.hinge_lemma_at_1,
    hinge_bounds.hinge_lemma_best,
    hinge_bounds.mistake_bound,
    hinge_bounds.corrected_closing_bound,
    hinge_bounds.printed_closing_bound,
    matrix_bounds.matrix_bound,
    matrix_bounds.determinant_bound,
    matrix_bounds.arow_bound,
    matrix_bounds.original_arow_bound,
    matrix_bounds.diagonal_bound,
    matrix_bounds.rare_features,
    normalized_bounds.published,
)
