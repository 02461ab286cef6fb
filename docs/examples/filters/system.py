"""Identification: an unknown system is learned from its input and its noisy output."""

import numpy as np
from signals import ROOM, far_voice_and_microphone

from fenchel.estimators import AdaptiveFilter

played, _ = far_voice_and_microphone()
noise = 0.01 * np.random.default_rng(0).standard_normal(len(played))
heard = np.convolve(played, ROOM)[: len(played)] + noise

system = AdaptiveFilter("p_norm_lms:certify=yes", taps=8)
output, _ = system.run(played, heard)

told = system.certificates(ROOM, played, heard)
filtering = next(c for c in told if c.theorem == "Adaptive filtering")
print(f"learned {system.coef_.round(2)}, the system is {ROOM}")
print(f"regret against it {filtering.achieved:.4g}, at most {filtering.bound:.4g} by the theorem")
