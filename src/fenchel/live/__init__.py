"""Learning from live sources, each message exactly once, with predictions and dead letters going out."""

from fenchel.live.learning import LiveSettings, LiveTraining, learn

__all__ = ["LiveSettings", "LiveTraining", "learn"]
