"""Numbers as people read them, and text made safe for a page."""

from __future__ import annotations

import json
import math
from html import escape
from typing import Any

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

__all__ = ["escape", "figure", "json_text", "power", "slug"]


def figure(value: float, digits: int = 4, largest: float = 1e7) -> str:
    """A measured number: so many digits that matter, thousands apart; powers of ten from ``largest`` on.

    >>> figure(0.0), figure(12345.678), figure(1.5e-9), figure(-2.0), figure(float("inf"))
    ('0', '12,346', '1.5·10⁻⁹', '−2', '∞')
    """
    if not math.isfinite(value):
        return "–" if math.isnan(value) else ("∞" if value > 0 else "−∞")
    if value == 0.0:
        return "0"
    size = abs(value)
    sign = "−" if value < 0 else ""
    if 1e-3 <= size < largest:
        places = max(digits - 1 - math.floor(math.log10(size)), 0)
        text = f"{size:,.{places}f}"
        return sign + (text.rstrip("0").rstrip(".") if "." in text else text)
    mantissa, exponent = f"{size:.{digits - 1}e}".split("e")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return (
        f"{sign}{mantissa}·{power(int(exponent))}"
        if mantissa != "1"
        else sign + power(int(exponent))
    )


def power(exponent: int) -> str:
    """A power of ten.

    >>> power(-6), power(5)
    ('10⁻⁶', '10⁵')
    """
    return "10" + str(exponent).translate(SUPERSCRIPTS)


def slug(text: str) -> str:
    """A name for an anchor: letters, digits and hyphens.

    >>> slug("Regret, measured (log T)")
    'regret-measured-log-t'
    """
    kept = "".join(c if c.isascii() and c.isalnum() else " " for c in text.lower())
    return "-".join(kept.split())


def json_text(content: Any) -> str:
    """Readable JSON; numbers that JSON does not have become null.

    >>> json_text({"a": float("nan")})
    '{\\n  "a": null\\n}\\n'
    """
    return json.dumps(_finite(content), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
