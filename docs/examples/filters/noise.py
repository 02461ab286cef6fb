"""Noise cancelling: the mother's heart, heard alone at her chest, is taken out of the belly's lead."""

import numpy as np
from signals import chest_and_belly

from fenchel.estimators import AdaptiveFilter

chest, belly = chest_and_belly()
mother, child = AdaptiveFilter(taps=16).run(chest, belly)

print(f"power of the belly's lead {np.mean(belly**2):.3g}, of what is left {np.mean(child**2):.3g}")
