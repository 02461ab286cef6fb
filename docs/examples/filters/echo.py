"""Echo cancelling: what the loudspeaker plays is taken out of what the microphone hears."""

import numpy as np
from signals import far_voice_and_microphone

from fenchel.estimators import AdaptiveFilter

far, microphone = far_voice_and_microphone()
echo, left = AdaptiveFilter(taps=64).run(far, microphone)

before, after = np.mean(microphone**2), np.mean(left**2)
print(f"power at the microphone {before:.3g}, with the echo cancelled {after:.3g}")
