"""Regularizers f_t: value, conjugate, the conjugate's gradient, strong convexity, dual norm."""

from fenchel.parts.state import MATRIX, RECORD, SCALAR, SLOTS
from fenchel.regularizers.adagrad import AdaGrad
from fenchel.regularizers.checking import check_regularizer
from fenchel.regularizers.coin import CoinBetting
from fenchel.regularizers.composite import Composite
from fenchel.regularizers.diagonal import DiagonalQuadratic
from fenchel.regularizers.domains import Ball, Box, Orthant, Simplex, Whole
from fenchel.regularizers.entropic import Entropic
from fenchel.regularizers.euclidean import Euclidean
from fenchel.regularizers.fading import (
    FadingDiagonal,
    FadingGaussian,
    FadingMatrix,
    FadingSteps,
)
from fenchel.regularizers.freegrad import FreeGrad
from fenchel.regularizers.frequent_directions import FrequentDirections
from fenchel.regularizers.ftrl import ProximalCentres
from fenchel.regularizers.full_adagrad import FullAdaGrad
from fenchel.regularizers.full_matrix import FullQuadratic
from fenchel.regularizers.gaussian import ConfidentGaussian, Gaussian, LogisticGaussian
from fenchel.regularizers.log_odds import LogOdds
from fenchel.regularizers.matrix import GroupComposite, Schatten
from fenchel.regularizers.max_norm_scaled import MaxNormScaled
from fenchel.regularizers.newton import LogisticMatrix, NewtonStep
from fenchel.regularizers.normalized import NormalizedAdaptive
from fenchel.regularizers.p_norm import PNorm, WeightedPNorm
from fenchel.regularizers.protocol import (
    absorb,
    absorb_row,
    commit,
    look,
    margin,
    prepare,
    product,
    rescued_margin,
    spread,
    weight,
)
from fenchel.regularizers.renewing import RenewedMatrix
from fenchel.regularizers.scale_invariant_adagrad import ScaleInvariantAdaGrad
from fenchel.regularizers.scale_invariant_p_norm import ScaleInvariantPNorm
from fenchel.regularizers.scinol import ExponentialScInOL, ScInOL
from fenchel.regularizers.sketched_newton import SketchedNewton
from fenchel.regularizers.timed import Timed

__all__ = [
    "MATRIX",
    "RECORD",
    "SCALAR",
    "SLOTS",
    "AdaGrad",
    "Ball",
    "Box",
    "CoinBetting",
    "Composite",
    "ConfidentGaussian",
    "DiagonalQuadratic",
    "Entropic",
    "Euclidean",
    "ExponentialScInOL",
    "FadingDiagonal",
    "FadingGaussian",
    "FadingMatrix",
    "FadingSteps",
    "FreeGrad",
    "FrequentDirections",
    "FullAdaGrad",
    "FullQuadratic",
    "Gaussian",
    "GroupComposite",
    "LogOdds",
    "LogisticGaussian",
    "LogisticMatrix",
    "MaxNormScaled",
    "NewtonStep",
    "NormalizedAdaptive",
    "Orthant",
    "PNorm",
    "ProximalCentres",
    "RenewedMatrix",
    "ScInOL",
    "ScaleInvariantAdaGrad",
    "ScaleInvariantPNorm",
    "Schatten",
    "Simplex",
    "SketchedNewton",
    "Timed",
    "WeightedPNorm",
    "Whole",
    "absorb",
    "absorb_row",
    "check_regularizer",
    "commit",
    "look",
    "margin",
    "prepare",
    "product",
    "rescued_margin",
    "spread",
    "weight",
]
