"""Prediction: the next sample of a heart's signal from the sixteen before it."""

import numpy as np
from signals import heart

from fenchel.estimators import AdaptiveFilter

signal = heart()
predicted, error = AdaptiveFilter("vovk_azoury_warmuth", taps=16, delay=1).run(signal, signal)

steps = np.diff(signal, prepend=0.0)
print(
    f"error of the last sample repeated {np.mean(steps**2):.3g}, of the filter {np.mean(error**2):.3g}"
)
