"""A model as one C file: C99, the standard library, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fenchel.export.portable import Portable
from fenchel.parts.state import Array

PROGRAM = r"""
static long fenchel_place(const char *name)
{
    long low = 0, high = FEATURES - 1;
    while (low <= high) {
        long middle = (low + high) / 2;
        int order = strcmp(name, fenchel_names[middle]);
        if (order == 0) return middle;
        if (order < 0) high = middle - 1; else low = middle + 1;
    }
    return -1;
}

/* The margins of a row: count features by name; margins[EXPERTS * OUTPUTS]. */
void fenchel_margins(long count, const char *const *names, const double *values, double *margins)
{
    double away[FEATURES + 1], given[FEATURES + 1] = {0}, placed[WAVE_COLUMNS + 1] = {0};
    memcpy(margins, fenchel_intercept, sizeof fenchel_intercept);
    for (int j = 0; j < FEATURES; j++) away[j] = -fenchel_centre[j];
    for (long i = 0; i < count; i++) {
        long at = fenchel_place(names[i]);
        if (at < 0) continue;
        away[at] += values[i];
        given[at] += values[i];
        for (int j = 0; j < EXPERTS * OUTPUTS; j++) margins[j] += fenchel_table[at][j] * values[i];
    }
    for (long p = 0; p < PAIRS; p++) {
        double both = away[fenchel_pairs[p][0]] * away[fenchel_pairs[p][1]];
        for (int j = 0; j < EXPERTS * OUTPUTS; j++) margins[j] += fenchel_pair_weights[p][j] * both;
    }
    for (long p = 0; p < RAMPS; p++) {
        double low = 0.5 * fenchel_ramps[p][0], high = 0.5 * fenchel_ramps[p][1];
        double risen = (0.5 * given[fenchel_ramp_places[p]] - low) / (high - low);
        risen = risen < 0.0 ? 0.0 : risen > 1.0 ? 1.0 : risen;
        for (int j = 0; j < EXPERTS * OUTPUTS; j++) margins[j] += fenchel_ramp_weights[p][j] * risen;
    }
    for (int i = 0; i < WAVE_COLUMNS; i++) {
        const double *frame = fenchel_wave_frames[i];
        double z = (0.5 * given[fenchel_wave_places[i]] - frame[0]) / frame[1];
        placed[i] = z < -4.0 ? -4.0 : z > 4.0 ? 4.0 : z;
    }
    for (long p = 0; p < WAVES; p++) {
        double phase = fenchel_wave_starts[p], v;
        for (int i = 0; i < WAVE_COLUMNS; i++) phase += fenchel_wave_turns[p][i] * placed[i];
        v = phase - floor(phase + 0.5);
        v = 1.0 - 16.0 * v * v + 32.0 * v * v * v * v;
        for (int j = 0; j < EXPERTS * OUTPUTS; j++) margins[j] += fenchel_wave_weights[p][j] * v;
    }
}

static double fenchel_held(double number)
{
    return number < LOWEST ? LOWEST : number > HIGHEST ? HIGHEST : number;
}

static int fenchel_largest(const double *scores)
{
    int best = 0;
    for (int c = 1; c < OUTPUTS; c++) if (scores[c] > scores[best]) best = c;
    return best;
}

/* scores[OUTPUTS] of a row: a number, the margin of two classes, or one score a class. */
void fenchel_scores(long count, const char *const *names, const double *values, double *scores)
{
    double m[EXPERTS * OUTPUTS];
    fenchel_margins(count, names, values, m);
    for (int c = 0; c < OUTPUTS; c++) scores[c] = RULE == SINGLE ? fenchel_held(m[c]) : 0.0;
    if (RULE == SINGLE) return;
    if (RULE == MEAN) {
        for (int k = 0; k < EXPERTS; k++) scores[0] += fenchel_shares[k] * fenchel_held(m[k]);
        return;
    }
    for (int k = 0; k < EXPERTS; k++)
        scores[fenchel_largest(m + k * OUTPUTS)] += fenchel_shares[k];
    if (RULE == VOTE) return;
    double logits[OUTPUTS] = {0};
    for (int k = 0; k < EXPERTS; k++) {
        double mean = 0.0;
        for (int c = 0; c < OUTPUTS; c++) mean += fabs(m[k * OUTPUTS + c]);
        mean = (fenchel_sizes[k] + mean / OUTPUTS) / (ROUNDS + 1.0);
        for (int c = 0; c < OUTPUTS; c++) {
            double s = mean > 0.0 ? m[k * OUTPUTS + c] / mean : 0.0;
            logits[c] += fenchel_bets[k] * (s < -1.0 ? -1.0 : s > 1.0 ? 1.0 : s);
        }
    }
    int likeliest = 0;
    for (int c = 1; c < OUTPUTS; c++)
        if (logits[c] > logits[likeliest]
            || (logits[c] == logits[likeliest] && scores[c] > scores[likeliest])) likeliest = c;
    for (int c = 0; c < OUTPUTS; c++) scores[c] = FIRST * scores[c] + (c == likeliest ? SECOND : 0.0);
}

/* The number of the class predicted, for fenchel_classes. */
int fenchel_class(long count, const char *const *names, const double *values)
{
    double scores[OUTPUTS];
    fenchel_scores(count, names, values, scores);
    return OUTPUTS == 1 ? scores[0] > 0.0 : fenchel_largest(scores);
}

#ifdef FENCHEL_MAIN
/* cc -std=c99 -O2 -DFENCHEL_MAIN model.c -lm: rows from standard input, each a line of features and
   their values in turn, separated by tabs; one prediction a line, with any argument also the scores. */
int main(int arguments, char **given)
{
    (void)given;
    static char line[1 << 20];
    static const char *names[1 << 16];
    static double values[1 << 16];
    while (fgets(line, sizeof line, stdin)) {
        long count = 0;
        line[strcspn(line, "\r\n")] = 0;
        for (char *at = line; *at && count < (1 << 16);) {
            names[count] = at;
            if (!(at = strchr(at, '\t'))) break;
            *at++ = 0;
            values[count++] = strtod(at, &at);
            if (*at == '\t') at++;
        }
        double scores[OUTPUTS];
        fenchel_scores(count, names, values, scores);
        if (CLASSES > 0) fputs(fenchel_classes[fenchel_class(count, names, values)], stdout);
        if (CLASSES == 0 || arguments > 1)
            for (int c = 0; c < OUTPUTS; c++) printf(c || CLASSES ? "\t%.17g" : "%.17g", scores[c]);
        putchar('\n');
    }
    return 0;
}
#endif
"""


def c_source(model: Portable) -> str:
    """Tables of names and weights, and the functions that read them.

    A row is given as features by name, as ``Schema.features`` makes them: ``color=red``.
    """
    model.refuse_hashed("c")
    form = model.form
    slots, experts, outputs = form.weights.shape
    order = sorted(range(slots - 1), key=lambda j: model.names[j].encode())
    centres, pairs, ramps = model.centres(), model.pairs(), model.ramps()
    waves, framed = model.waves(), model.wave_columns()
    used = {*centres, *(ramp[0] for ramp in ramps), *framed}
    kept = [j for j in order if np.any(form.weights[j + 1]) or j in used] or order[:1]
    place = {j: at for at, j in enumerate(kept)}
    low, high = form.bounds or (-np.finfo(float).max, np.finfo(float).max)
    classes = [str(label) for label in model.classes] if model.has_classes else []
    sizes = {
        "FEATURES": len(kept), "PAIRS": len(pairs), "RAMPS": len(ramps), "WAVES": len(waves),
        "WAVE_COLUMNS": len(framed), "CLASSES": len(classes),
        "EXPERTS": experts, "OUTPUTS": outputs,
        "RULE": form.rule.upper(), "LOWEST": repr(float(low)), "HIGHEST": repr(float(high)),
        "ROUNDS": repr(form.rounds), "FIRST": repr(form.choice[0]), "SECOND": repr(form.choice[1]),
    }  # fmt: skip
    zeros = [0.0] * experts
    twos = [f"{{{place[i]}, {place[j]}}}" for i, j, _ in pairs]
    products = ",\n".join(_numbers(np.ravel(w).tolist()) for _, _, w in pairs) or "{0.0}"
    ends = [_numbers([low, high]) for _, low, high, _ in ramps] or ["{0.0, 1.0}"]
    heights = ",\n".join(_numbers(np.ravel(w).tolist()) for *_, w in ramps) or "{0.0}"
    risen = ", ".join(str(place[ramp[0]]) for ramp in ramps) or "0"
    frames = ", ".join(_numbers(both) for both in framed.values()) or "{0.0, 1.0}"
    starts = [start for start, *_ in waves] or [0.0]
    turns = ",\n".join(_numbers([row.get(j, 0.0) for j in framed] or [0.0]) for _, row, _ in waves)
    swings = ",\n".join(_numbers(np.ravel(w).tolist()) for *_, w in waves)
    rows = ",\n".join(_numbers(form.weights[j + 1].ravel().tolist()) for j in kept)
    return "\n".join([
        f"/* A model of fenchel: {_comment(model.specification)}. Task: {form.task}. */",
        "#include <math.h>", "#include <stdio.h>", "#include <stdlib.h>", "#include <string.h>",
        "enum { SINGLE, MEAN, VOTE, COMBINED };",
        *(f"#define {name} {value}" for name, value in sizes.items()),
        f"const char *const fenchel_classes[] = {_texts(classes or [''])};",
        f"static const char *const fenchel_names[] = {_texts([model.names[j] for j in kept] or [''])};",
        f"static const double fenchel_intercept[] = {_numbers(form.weights[0].ravel().tolist())};",
        f"static const double fenchel_table[][EXPERTS * OUTPUTS] = {{\n{rows}\n}};",
        f"static const double fenchel_centre[] = {_numbers([centres.get(j, 0.0) for j in kept] or [0.0])};",
        f"static const long fenchel_pairs[][2] = {{{', '.join(twos or ['{0, 0}'])}}};",
        f"static const double fenchel_pair_weights[][EXPERTS * OUTPUTS] = {{\n{products}\n}};",
        f"static const long fenchel_ramp_places[] = {{{risen}}};",
        f"static const double fenchel_ramps[][2] = {{{', '.join(ends)}}};",
        f"static const double fenchel_ramp_weights[][EXPERTS * OUTPUTS] = {{\n{heights}\n}};",
        f"static const long fenchel_wave_places[] = {{{', '.join(str(place[j]) for j in framed) or '0'}}};",
        f"static const double fenchel_wave_frames[][2] = {{{frames}}};",
        f"static const double fenchel_wave_starts[] = {_numbers(starts)};",
        f"static const double fenchel_wave_turns[][WAVE_COLUMNS + 1] = {{\n{turns or '{0.0}'}\n}};",
        f"static const double fenchel_wave_weights[][EXPERTS * OUTPUTS] = {{\n{swings or '{0.0}'}\n}};",
        f"static const double fenchel_shares[] = {_numbers(_listed(form.shares, zeros))};",
        f"static const double fenchel_bets[] = {_numbers(_listed(form.bets, zeros))};",
        f"static const double fenchel_sizes[] = {_numbers(_listed(form.sizes, zeros))};",
        PROGRAM.lstrip("\n"),
    ])  # fmt: skip


def _listed(array: Array | None, otherwise: list[float]) -> list[float]:
    return otherwise if array is None else [float(value) for value in array]


def _numbers(values: Sequence[float]) -> str:
    return "{" + ", ".join(map(repr, values)) + "}"


def _texts(values: Sequence[str]) -> str:
    return "{" + ",\n".join(map(_text, values)) + "}"


def _text(value: str) -> str:
    """A string of C, every byte that is not plain as an octal escape.

    >>> print(_text('a"é'))
    "a\\042\\303\\251"
    """
    plain = (chr(b) if 32 <= b < 127 and b not in b'"\\?' else f"\\{b:03o}" for b in value.encode())
    return f'"{"".join(plain)}"'


def _comment(text: str) -> str:
    return text.replace("*/", "* /")
