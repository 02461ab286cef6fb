"""The learners that suit a task, as specifications."""

from __future__ import annotations

from typing import Any

from fenchel.learners import CATALOGUE, NESTED
from fenchel.learners.for_task import takes_loss

# Up to this many columns a full matrix takes part in a comparison: d² a round, d² numbers.
MOST_FULL = 300

# Learners worth trying in more than one form.
_FORMS = {"arow": ("arow", "arow:form=original")}
_FULL = {
    "binary": ("arow:diagonal=no", "vovk_azoury_warmuth", "online_newton_step"),
    "regression": ("vovk_azoury_warmuth", "online_newton_step"),
}
# Beside one against the rest of each, all classes in one matrix.
_MATRIX = tuple(f"max_margin:learner={name}" for name in ("arow", "passive_aggressive"))
_DIAGONAL = {"vovk_azoury_warmuth": "vovk_azoury_warmuth:diagonal=yes"}


def learners_for(task: str, columns: int, loss: Any = None) -> list[str]:
    """List every learner for the task, those with a full matrix only where the columns are few.

    With a ``loss`` those that can take it.

    >>> learners_for("regression", columns=1_000)[:3]
    ['adagrad', 'auto', 'coin_betting']
    """
    binary = "binary" if task == "multiclass" else task
    full = _FULL[binary]
    chosen: list[str] = []
    for name, entry in sorted(CATALOGUE.items()):
        if name in NESTED or binary not in entry.tasks:
            continue
        forms = _FORMS.get(name, (_DIAGONAL.get(name, name),))
        chosen.extend(form for form in forms if form not in full)
    if task == "multiclass":
        chosen.extend(_MATRIX)
    chosen += full if columns <= MOST_FULL else ()
    return chosen if loss is None else [text for text in chosen if takes_loss(text, task, loss)]
