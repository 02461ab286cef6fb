"""Ten seconds of the fuzzer; ``python -m tests.fuzz --minutes 10`` runs it for long."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from fuzz.guided import Target, fuzz

ROOT = Path(__file__).parents[2]


def test_any_bytes_are_refused_or_sound(request):
    command = [sys.executable, "-m", "tests.fuzz", "--minutes", "0.17", "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    for name, found in json.loads(done.stdout).items():
        assert 0 < found["accepted"] < found["inputs"], name
        assert found["edges"] > 100, name
        label = "model files" if name == "model" else name
        request.node.user_properties.append((f"fuzz inputs: {label}", found["inputs"]))


def test_the_fuzzer_finds_what_is_behind_three_steps():
    """A planted fault that blind mutation would hardly reach: the corpus must lead there."""
    from fenchel.learners.specification import parse  # any function of fenchel's will do

    def check(content: bytes) -> bool:
        text = content.decode("latin-1")
        try:
            _, parameters = parse(text)
        except ValueError:
            return False
        assert len(parameters) < 4
        return True

    target = Target("planted", [b"a:b=1"], [b",", b"=", b"c"], check)
    with pytest.raises(AssertionError) as fault:
        fuzz(target, 20.0, seed=3)
    assert "this input breaks the rule" in fault.value.__notes__[0]
