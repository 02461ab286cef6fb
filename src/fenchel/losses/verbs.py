"""What a loss answers: how bad was the margin, and the derivative there."""

from __future__ import annotations

from typing import Any

from fenchel._kernel import required_verb


@required_verb
def value(loss: Any, margin: float, y: float) -> Any:
    """ℓ(margin, y)."""


@required_verb
def derivative(loss: Any, margin: float, y: float) -> Any:
    """A derivative of ℓ(·, y) at the margin; at a kink the one the loss's docstring states."""
