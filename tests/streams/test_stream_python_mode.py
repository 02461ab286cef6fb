"""The parsers mean the same without a compiler."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = r'''
import io, sys, warnings
warnings.simplefilter("error")
from fenchel.streams import Names, open_stream

texts = {
    "svmlight": "1 qid:3 1:0.12345678901234567 3:1e-320\n-1 2:12345678901234567890\nx\n1 2:1 2:1\n",
    "vw": "1 2 'tag|né:2 a b:3 a |x 42\n0 | 男\nbad\n1 | a:1e400\n",
    "csv": 'a,b,y\n1,"x ""q""",no\n?,y,yes\n2,z\n0.12345678901234567,é,no\n',
    "jsonl": '{"y": 1, "a": "x", "b": {"c": 2}}\n[]\n',
}
for format, text in texts.items():
    for bits in (None, 5):
        stream = open_stream(
            io.BytesIO(text.encode()), format=format, bits=bits, on_error="skip", threads=1
        )
        for block in stream:
            fields = block.rows.csr()[:3] + (block.labels, block.importance, block.groups, block.ids)
            print([None if part is None else list(part) for part in fields])
        print(stream.columns, stream.skipped.messages)
texts = b'a,body,y\n1,"Free ""money"", \xc3\x89T\xc3\x89 and an extraordinarily long word",no\n2,free,no\n'
for options in ({}, {"cross": ["a,body", "*,*"]}, {"cross": ["*,*"], "bits": 9}):
    stream = open_stream(io.BytesIO(texts), format="csv", text=["body"], threads=1, **options)
    print([(block.indices.tolist(), block.values.tolist()) for block in stream], list(stream.names))
names = Names(18)
print([names.column(name) for name in ("has_car", "gender^男", "age^42", "a" * 40)])
'''


def test_same_output_without_compilation(tmp_path: Path) -> None:
    outputs = []
    for disabled in ("0", "1"):
        environment = os.environ | {"NUMBA_DISABLE_JIT": disabled, "PYTHONUTF8": "1"}
        command = [sys.executable, "-c", PROGRAM]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]
    assert "36073, 27805, 165243" in outputs[0]
