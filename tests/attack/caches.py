"""Damaged files of compiled code, and cold threads that compile at once: never a crash."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

COLD = Path(__file__).parents[1] / "faults" / "cold_threads.py"


def damaged(folder: Path, chance: random.Random) -> int:
    """Flip bits, cut or lengthen some files; how many."""
    files = sorted(folder.rglob("*.nb[ic]"))
    chosen = chance.sample(files, max(1, len(files) // 2)) if files else []
    for file in chosen:
        content = bytearray(file.read_bytes())
        kind = chance.randrange(3)
        if kind == 0:
            for at in chance.sample(range(len(content)), min(5, len(content))):
                content[at] ^= 1 << chance.randrange(8)
        else:
            content = content[: chance.randrange(len(content))] if kind == 1 else content + b"x"
        file.write_bytes(content)
    return len(chosen)


def campaign(chance: random.Random, folder: Path, count: int) -> dict[str, int]:
    """So many processes with a damaged or a cold cache, three threads each."""
    found = 0
    cache = folder / "cache"
    for turn in range(count):
        if turn % 5 == 4:
            cache = folder / f"cold{turn}"
        found += damaged(cache, chance) if cache.exists() else 0
        done = subprocess.run(
            [sys.executable, "-X", "faulthandler", str(COLD)],
            env={**os.environ, "FENCHEL_CACHE_DIR": str(cache)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
    return {"processes of threads over a cold or damaged cache": count, "damaged files": found}
