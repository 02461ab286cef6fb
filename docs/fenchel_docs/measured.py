"""Where a learner does well and where not, from the stored figures of all single learners."""

import json

from fenchel_docs.writing import ROOT, Written, table

FIGURES = ROOT / "benchmarks" / "learner_figures.json"
SHOWN = 3


class Measured(Written):
    """``{measured} name``: its best and worst data sets against the best single learner of each."""

    required_arguments = 1

    def markdown(self):
        (name,) = self.arguments
        streams = json.loads(self.depends_on(FIGURES).read_text())["streams"]
        tasks = ("binary", "regression")
        return "\n\n".join(part for task in tasks for part in _of_task(name, task, streams))


def standings(name, task, streams):
    """The sets of a task that the learner has played: name, its best form, error, rank, the best."""
    found = []
    for data, stream in streams.items():
        errors = {s: e for s, e in stream["learners"].items() if e is not None}
        own = {s: e for s, e in errors.items() if s.partition(":")[0] == name}
        if stream["task"] != task or not own:
            continue
        form = min(own, key=own.__getitem__)
        best = min(errors, key=errors.__getitem__)
        rank = 1 + sum(e < own[form] for e in errors.values())
        found.append(
            (data, stream, form, own[form], rank, len(stream["learners"]), best, errors[best])
        )
    return found


def _of_task(name, task, streams):
    found = standings(name, task, streams)
    if not found:
        return
    tried = sum(_played(name, task, stream) for stream in streams.values())
    lost = tried - len(found)
    diverged = f" On {lost} more it did not stay finite." if lost else ""
    first = sum(rank == 1 for _, _, _, _, rank, *_ in found)
    ranks = sorted(rank for _, _, _, _, rank, *_ in found)
    measure = "share of mistakes" if task == "binary" else "squared error over the best constant's"
    yield (
        f"**Measured, {task}:** on {len(found)} streams, one pass, raw features, parameters as they "
        f"are by default: best of all single learners on {first}, median rank "
        f"{ranks[len(ranks) // 2]} of up to {max(n for _, _, _, _, _, n, *_ in found)}.{diverged} Its "
        f"{SHOWN} best and {SHOWN} worst streams ({measure}):"
    )
    ordered = sorted(found, key=lambda f: (f[4], f[3] / max(f[7], 1e-12)))
    chosen = ordered if len(ordered) <= 2 * SHOWN else [*ordered[:SHOWN], *ordered[-SHOWN:]]
    head = ("stream", "rows × columns", "form", "error", "rank", "the best single learner")
    yield table(head, [_line(*standing) for standing in chosen])


def _line(data, stream, form, error, rank, rivals, best, least):
    size = f"{stream['rows']:,} × {stream['columns']:,}"
    place = f"{rank} of {rivals}"
    return data, size, f"`{form}`", number(error), place, f"{number(least)} `{best}`"


def _played(name, task, stream):
    forms = (form.partition(":")[0] for form in stream["learners"])
    return stream["task"] == task and name in forms


def number(error: float) -> str:
    return f"{error:.4f}" if error < 100 else f"{error:.0e}"
