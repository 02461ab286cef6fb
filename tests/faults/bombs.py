"""Reads a stream under a limit of memory; prints the rows and lines skipped, or the refusal.

``python bombs.py FILE FORMAT MEBIBYTES [skip]``: the limit is on what the process may take beyond
what it has once the reader is compiled.
"""

import io
import resource
import sys

from fenchel.streams import BadInput, open_stream

WARM = {
    "svmlight": b"1 1:1\nx\n",
    "vw": b"1 |n a b:0.5\nx\n",
    "csv": b"a,b,y\n1,x,1\n2,y,0\n1\n",
    "jsonl": b'{"y": 1, "a": 1}\nx\n',
}


def taken() -> int:
    """Bytes of address space in use."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def main(path: str, format: str, mebibytes: str, on_error: str = "stop") -> None:
    list(open_stream(io.BytesIO(WARM[format]), format=format, on_error="skip", threads=1))
    limit = taken() + (int(mebibytes) << 20)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    stream = open_stream(path, format=format, on_error=on_error, threads=1)
    try:
        print("rows", sum(len(block) for block in stream), "skipped", len(stream.skipped))
    except BadInput as error:
        print(error)


if __name__ == "__main__":
    main(*sys.argv[1:])
