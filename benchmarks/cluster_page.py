"""``CLUSTER.md``, from the figures that ``benchmarks.cluster`` keeps."""

import math
from pathlib import Path

from benchmarks import cluster_quality

PATH = Path(__file__).with_name("CLUSTER.md")

# The terascale system (Agarwal, Chapelle, Dudík & Langford, JMLR 15, 2014).
TERA = {"features": 2.1e12, "nodes": 1000, "minutes": 70, "parameters": 16_000_000}
NETWORK = 1.25e8  # bytes a second of one gigabit
FAN = 8
ENTRIES = 63  # non-zeros of a generated row


def write(figures):
    lines = [
        "# Several workers against one",
        "",
        "Written by `python -m benchmarks.cluster`; [on a cluster](../docs/cluster.md) says how to use it.",
    ]
    for part, section in (
        ("quality", _quality),
        ("overhead", _overhead),
        ("sizes", _sizes),
        ("merging", _merging),
    ):
        if part in figures:
            lines += ["", *section(figures[part], figures)]
    PATH.write_text("\n".join(lines) + "\n")


def _quality(found, figures):
    yield "## Quality"
    yield ""
    yield (
        "80 % of at most so many rows of each stream, mixed by a fixed seed, learned by one machine or in "
        "shards that are merged; mistakes on the other 20 % without learning, of numbers the squared error "
        "over the variance. In brackets against one machine."
    )
    yield ""
    yield from cluster_quality.table(found)
    yield ""
    yield from _wanted(found)


def _wanted(found):
    """Whether `auto` is where it should be."""
    limits = (
        ("8 shards", 1, 0.02),
        ("32 shards", 2, 0.04),
        ("8, three rounds", 3, 0.0),
        ("32, three rounds", 4, 0.0),
    )
    for told, place, limit in limits:
        ratios = {
            name: one["errors"]["auto"][place] / one["errors"]["auto"][0] - 1.0
            for name, one in found.items()
            if one["errors"].get("auto", [0.0])[0] > 0.0
        }
        beyond = [f"{name} {ratio:+.1%}" for name, ratio in ratios.items() if ratio > limit]
        rest = f"; beyond it: {', '.join(beyond)}" if beyond else ""
        within = len(ratios) - len(beyond)
        yield f"- `auto`, {told}: {within} of {len(ratios)} streams within {limit:+.0%} of one machine{rest}."


def _overhead(found, figures):
    one, two = found["one core"], found["2 workers"]
    yield "## CPU and wall"
    yield ""
    yield (
        f"`fenchel train` with {found['learner']} on {found['bytes'] / 1e9:.2f} GB of generated svmlight, "
        "start-up included, on 2 cores with nothing else to do."
    )
    yield ""
    yield from ("| run | CPU seconds | wall |", "|---|---:|---:|")
    names = {
        "one core": "one process, held to one core",
        "one process": "one process, both cores",
        "2 workers": "`--workers 2`",
        "dask": "`--scheduler`, LocalCluster of 2, already running",
    }
    for key, name in names.items():
        if key in found:
            cpu = "–" if key == "dask" else f"{found[key]['cpu']:.1f}"
            yield f"| {name} | {cpu} | {found[key]['wall']:.1f} |"
    yield ""
    cpu, wall = two["cpu"] / one["cpu"], one["wall"] / two["wall"]
    yield f"- CPU of 2 workers over that of one process: {cpu:.2f} (wanted: at most 1.15)."
    yield f"- wall of one core over that of 2 workers: {wall:.2f} (wanted: at least 1.6)."
    if "dask" in found:
        ratio = found["dask"]["wall"] / two["wall"]
        yield f"- wall of Dask over that of 2 workers: {ratio:.2f} (wanted: at most 1.10)."


def _sizes(found, figures):
    yield "## When one process wins"
    yield ""
    yield (
        f"Wall of `fenchel train` with {found['learner']}, the better of two runs. One process reads on all "
        "cores; two workers start two interpreters more."
    )
    yield ""
    yield from ("| file | one process | `--workers 2` |", "|---:|---:|---:|")
    for size, walls in found["walls"].items():
        told = f"{int(size) / 1e6:.0f} MB"
        yield f"| {told} | {walls['one process']:.2f} s | {walls['2 workers']:.2f} s |"


def _merging(found, figures):
    M, merged = found["bytes"], found["merge 8"]
    yield "## Merging"
    yield ""
    yield (
        f"AdaGrad with {found['columns']:,} parameters: {M / 1e6:.0f} MB as it travels; in CPU "
        f"seconds, written in {found['dump']:.2f} and read in {found['load']:.2f}; 2 merged in "
        f"{found['merge 2']:.2f}, 4 in {found['merge 4']:.2f}, 8 in {merged:.2f}."
    )
    yield ""
    yield "## The cost model at 1,000 workers"
    yield ""
    yield from _model(found, figures)


def _model(found, figures):
    M, W = found["bytes"], TERA["nodes"]
    level = 7 * M / NETWORK + 8 * found["load"] + found["merge 8"] + found["dump"]
    levels, steps = math.ceil(math.log(W, FAN)), math.ceil(math.log2(W))
    merge, back = levels * level, steps * M / NETWORK
    yield (
        f"Assumptions: {TERA['features']:.1e} features (non-zeros) in all, spread evenly over {W:,} workers "
        "of one core each, rows as svmlight on disks of their own; no stragglers and no failures; a gigabit "
        f"of network for each ({NETWORK / 1e6:.0f} MB a second); a tree of merges on the workers, {FAN} at a "
        f"time, in each of whose {levels} levels a worker receives 7 models, reads 8, merges and writes 1; "
        f"the merged model goes back by doubling, in {steps} steps of one model each."
    )
    yield ""
    yield from ("| | seconds |", "|---|---:|")
    once = None
    if "overhead" in figures:
        told = figures["overhead"]
        speed = told["rows"] * ENTRIES / told["one core"]["cpu"]
        once = TERA["features"] / W / speed
        measured = f"{speed / 1e6:.1f} M features a CPU second, as {told['learner']} above"
        yield f"| one pass, {measured} | {once:.0f} |"
    yield f"| merging, {levels} levels of {level:.0f} s | {merge:.0f} |"
    yield f"| sending the merged model back | {back:.0f} |"
    for rounds in (1, 3) if once is not None else ():
        total = rounds * (once + merge + back)
        rate = f"{rounds * TERA['features'] / total / 1e6:,.0f} M features a second"
        yield f"| {rounds} round{'s' * (rounds > 1)} in all, {rate} | {total:.0f} |"
    published = f"{TERA['minutes']} minutes, 500 M features a second"
    yield f"| as published of the terascale system: {published} | {60 * TERA['minutes']} |"
    yield ""
    most = levels * 7 * M / 1e9
    yield (
        f"A round merges {W:,} models of {M / 1e6:.0f} MB, {W * M / 1e9:.0f} GB; no worker receives more "
        f"than {most:.1f} GB of them, and the driver one model. The published figures ({W:,} nodes, "
        f"{TERA['parameters'] / 1e6:.0f} M parameters) are of other machines and of a whole training as its "
        "authors ran it: the two are no race, and ours is extrapolated, not measured."
    )
