"""A model as one SQL query over a table of raw rows: SQLite, DuckDB, PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from fenchel.export.portable import ExportRefused, Portable
from fenchel.export.sql_levels import LevelTable, level_tables
from fenchel.export.sql_terms import Terms, literal, total
from fenchel.learners.linear_form import LinearForm
from fenchel.loops.waves import FARTHEST

HEADER = """\
-- A model of fenchel ({learner}), as a query over the table {table}.
-- Each row gets its prediction{more}; the order of rows is the database's own.
-- Categories are compared as text.
"""
TABLE = "data"
NEXT = ",\n"  # between two steps
MOST_COLUMNS = 2000  # of a table, and of a result, in SQLite


def sql_query(model: Portable) -> str:
    """The query: margins first, then what the rule makes of them."""
    model.refuse_hashed("sql")
    model.refuse_kinds("sql", "text", "words", "date")
    terms = Terms(model)
    _refuse_too_many(model, terms)
    tables, inside = level_tables(model, terms)
    steps, source = [], f"{TABLE} AS d"
    for name, columns in (
        *_further_terms(model, terms),
        ("fenchel_margins", _margins(model, terms, tables, inside)),
        ("fenchel_sides", _first_sides(model)),
    ):
        if columns:
            joins = [t.joined(terms) for t in tables] if name == "fenchel_margins" else []
            steps.append((name, columns, "\n".join([source, *joins])))
            source = f"{name} AS d"
    steps += _votes(model, source) if model.form.rule in ("vote", "combined") else []
    # Materialized: SQLite would compute a step anew wherever the next one names it.
    body = [table.written() for table in tables] + [
        f"{name} AS MATERIALIZED (\nSELECT d.*, {_listed(columns)} FROM {source}\n)"
        for name, columns, source in steps
    ]
    more = " and its probabilities" if model.form.sharpness is not None else ""
    head = HEADER.format(learner=model.specification, table=TABLE, more=more)
    answer = f"SELECT d.*, {_listed(_told(model))} FROM {steps[-1][0]} AS d"
    return f"{head}WITH {NEXT.join(body)}\n{answer};\n"


def _refuse_too_many(model: Portable, terms: Terms) -> None:
    raw = {column for name in model.names for column, _ in terms.parts_of(name)}
    if len(raw) > MOST_COLUMNS:
        raise ExportRefused(
            f"sql: {len(raw):,} columns are more than a table has ({MOST_COLUMNS:,}); use python or c"
        )
    _, experts, outputs = model.form.weights.shape
    if experts * outputs + len(model.ramps()) + 2 * len(model.waves()) > MOST_COLUMNS:
        raise ExportRefused(f"sql: {experts * outputs} margins a row are too many; use python or c")


def _further_terms(model: Portable, terms: Terms) -> list[tuple[str, list[str]]]:
    """The steps before the margins: features as products, curves and waves need them, ramps, and waves."""
    ramps, framed = model.ramps(), model.wave_columns()
    away = [
        f"{total([literal(-centre), *terms.of([model.names[j]], [1.0])])} AS away{j}"
        for j, centre in model.centres().items()
    ]
    given = [
        f"{total(terms.of([model.names[j]], [1.0]))} AS given{j}"
        for j in sorted({*(ramp[0] for ramp in ramps), *framed})
    ]
    risen = [
        f"{_ramp(f'd.given{j}', low, high)} AS ramp{p}" for p, (j, low, high, _) in enumerate(ramps)
    ]
    placed = [f"{_placed(f'd.given{j}', *both)} AS placed{j}" for j, both in framed.items()]
    phases, waves = [], []
    for p, (start, turns, _) in enumerate(model.waves()):
        moved = [f"{literal(turn)} * d.placed{j}" for j, turn in turns.items()]
        phases.append(f"{total([literal(start), *moved])} AS phase{p}")
        v = f"(d.phase{p} - ROUND(d.phase{p}))"
        waves.append(f"1.0e0 + {v} * {v} * (32.0e0 * {v} * {v} - 16.0e0) AS wave{p}")
    return [
        ("fenchel_away", [*away, *given]),
        ("fenchel_ramps", [*risen, *placed]),
        ("fenchel_phases", phases),
        ("fenchel_waves", waves),
    ]


def _margins(
    model: Portable, terms: Terms, tables: Sequence[LevelTable], inside: set[str]
) -> list[str]:
    """The margin of each expert for each output; of two in a vote that of the second alone."""
    pairs, ramps, waves, found = model.pairs(), model.ramps(), model.waves(), []
    _, experts, outputs = model.form.weights.shape
    for k in range(experts):
        for c in range(1, 2) if _has_sides(model) else range(outputs):
            bias, *weights = model.form.weights[:, k, c].tolist()
            rest = [0.0 if n in inside else w for n, w in zip(model.names, weights, strict=True)]
            parts = [literal(bias), *terms.of(model.names, rest)]
            parts += [table.term(k, c) for table in tables if table.is_used(k, c)]
            parts += [f"{literal(w[k][c])} * d.away{i} * d.away{j}" for i, j, w in pairs if w[k][c]]
            parts += [
                f"{literal(w[k][c])} * d.ramp{p}" for p, (*_, w) in enumerate(ramps) if w[k][c]
            ]
            parts += [
                f"{literal(w[k][c])} * d.wave{p}" for p, (*_, w) in enumerate(waves) if w[k][c]
            ]
            found.append(f"{total(parts)} AS m{k}_{c}")
    return found


def _has_sides(model: Portable) -> bool:
    """Whether there is a margin for each of two classes: one is the other, negated."""
    return model.form.task == "binary" and model.form.weights.shape[2] == 2


def _first_sides(model: Portable) -> list[str]:
    experts = range(model.form.weights.shape[1])
    return [f"-d.m{k}_1 AS m{k}_0" for k in experts] if _has_sides(model) else []


def _ramp(x: str, low: float, high: float) -> str:
    """0 up to ``low``, 1 from ``high`` on, a straight line between them."""
    half = 0.5 * low  # halves cannot overflow
    from_low = f"(0.5e0 * {x} - {literal(half)}) / {literal(0.5 * high - half)}"
    ends = f"WHEN {x} <= {literal(low)} THEN 0.0e0 WHEN {x} >= {literal(high)} THEN 1.0e0"
    return f"CASE {ends} ELSE {from_low} END"


def _placed(x: str, centre: float, unit: float) -> str:
    """How far x is from its centre in its unit, held in [−4, 4]; both are given as halves."""
    z = f"(0.5e0 * {x} - {literal(centre)}) / {literal(unit)}"
    far = literal(FARTHEST)
    return f"CASE WHEN {z} < -{far} THEN -{far} WHEN {z} > {far} THEN {far} ELSE {z} END"


def _tempered(form: LinearForm) -> str:
    """The logit, of which beyond ``surest`` only the logarithm counts."""
    assert form.sharpness is not None
    logit = f"({literal(form.sharpness)} * d.m0_0)"
    if not isfinite(form.surest):
        return logit
    most = literal(form.surest)
    high = f"WHEN {logit} > {most} THEN {most} + LN(1.0e0 + {logit} - {most})"
    low = f"WHEN {logit} < -{most} THEN -{most} - LN(1.0e0 - {logit} - {most})"
    return f"(CASE {high} {low} ELSE {logit} END)"


def _listed(columns: Sequence[str]) -> str:
    return ",\n  ".join(columns)


def _held(margin: str, model: Portable) -> str:
    if model.form.bounds is None:
        return margin
    low, high = map(literal, model.form.bounds)
    return f"CASE WHEN {margin} < {low} THEN {low} WHEN {margin} > {high} THEN {high} ELSE {margin} END"


def _largest(names: Sequence[str], results: Sequence[str]) -> str:
    """The result of the largest, of several the first."""
    if len(names) == 1:
        return results[0]
    whens = [
        f"WHEN {' AND '.join(f'{mine} >= {other}' for other in names if other != mine)} THEN {result}"
        for mine, result in zip(names[:-1], results[:-1], strict=True)
    ]
    return f"CASE {' '.join(whens)} ELSE {results[-1]} END"


def _votes(model: Portable, source: str) -> list[tuple[str, list[str], str]]:
    """The steps from margins to the votes for each class."""
    form = model.form
    _, experts, outputs = form.weights.shape
    assert form.shares is not None
    classes = range(outputs)
    numbers = [str(c) for c in classes]
    picks = [
        f"{_largest([f'd.m{k}_{c}' for c in classes], numbers)} AS pick{k}" for k in range(experts)
    ]
    votes = [
        total([f"{literal(float(v))} * CASE WHEN d.pick{k} = {c} THEN 1.0 ELSE 0.0 END"
               for k, v in enumerate(form.shares)]) + f" AS vote{c}"
        for c in classes
    ]  # fmt: skip
    steps = [
        ("fenchel_picks", picks, source),
        ("fenchel_votes", votes, "fenchel_picks AS d"),
    ]
    return steps + (_combined(model) if form.rule == "combined" else [])


def _combined(model: Portable) -> list[tuple[str, list[str], str]]:
    """The steps that let the combination's likeliest class vote too."""
    form = model.form
    _, experts, outputs = form.weights.shape
    assert form.bets is not None
    assert form.sizes is not None
    classes, each = range(outputs), range(experts)
    sizes = []
    for k in each:
        mean = f"{total([f'ABS(d.m{k}_{c})' for c in classes])} / {float(outputs)!r}"
        before = literal(float(form.sizes[k]))
        sizes.append(f"({before} + {mean}) / {form.rounds + 1.0!r} AS size{k}")
    standard = [
        f"CASE WHEN d.size{k} <= 0.0 THEN 0.0 WHEN d.m{k}_{c} > d.size{k} THEN 1.0 "
        f"WHEN d.m{k}_{c} < -d.size{k} THEN -1.0 ELSE d.m{k}_{c} / d.size{k} END AS s{k}_{c}"
        for k in each
        for c in classes
    ]
    logits = [
        total([f"{literal(float(form.bets[k]))} * d.s{k}_{c}" for k in each]) + f" AS logit{c}"
        for c in classes
    ]
    whens = []
    for c in classes:
        beats = [
            f"(d.logit{c} > d.logit{j} OR (d.logit{c} = d.logit{j} AND "
            f"d.vote{c} {'>=' if c < j else '>'} d.vote{j}))"
            for j in classes
            if j != c
        ]
        whens.append(f"WHEN {' AND '.join(beats)} THEN {c}")
    q0, q1 = map(literal, form.choice)
    scores = [
        f"{q0} * d.vote{c} + CASE WHEN d.likeliest = {c} THEN {q1} ELSE 0.0 END AS score{c}"
        for c in classes
    ]
    return [
        ("fenchel_sizes", sizes, "fenchel_votes AS d"),
        ("fenchel_standard", standard, "fenchel_sizes AS d"),
        ("fenchel_logits", logits, "fenchel_standard AS d"),
        ("fenchel_likeliest", [f"CASE {' '.join(whens)} ELSE 0 END AS likeliest"], "fenchel_logits AS d"),
        ("fenchel_scores", scores, "fenchel_likeliest AS d"),
    ]  # fmt: skip


def _told(model: Portable) -> list[str]:
    """The prediction, and probabilities where there are some."""
    form = model.form
    outputs = form.weights.shape[2]
    if form.rule in ("vote", "combined"):
        word = "vote" if form.rule == "vote" else "score"
        names = [f"d.{word}{c}" for c in range(outputs)]
        return [f"{_largest(names, [literal(c) for c in model.classes])} AS prediction"]
    if form.rule == "mean":
        assert form.shares is not None
        held = [
            f"{literal(float(v))} * {_held(f'd.m{k}_0', model)}" for k, v in enumerate(form.shares)
        ]
        return [f"{total(held)} AS prediction"]
    margins = [f"d.m0_{c}" for c in range(outputs)]
    if form.task == "binary":
        negative, positive = (literal(c) for c in model.classes)
        told = [f"CASE WHEN d.m0_0 > 0.0 THEN {positive} ELSE {negative} END AS prediction"]
        if form.sharpness is not None:
            told.append(f"1.0 / (1.0 + EXP(-{_tempered(form)})) AS probability")
        return told
    if form.task == "multiclass":
        return [f"{_largest(margins, [literal(c) for c in model.classes])} AS prediction"]
    if outputs == 1:
        return [f"{_held(margins[0], model)} AS prediction"]
    return [f"{_held(m, model)} AS prediction{c}" for c, m in enumerate(margins)]
