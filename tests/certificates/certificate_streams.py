"""Every suitable learner on the first rows of real streams, without the compiler; prints JSON.

``counts``: certificates that applied and held, by theorem; ``wrong``: those that were violated.
"""

import json
import sys
import warnings
from collections import Counter

from benchmarks.bounds import runs

STREAMS = {
    "binary": ("phishing", "sms_spam", "spam_stream", "elec2"),
    "regression": ("abalone", "airfoil", "bike_sharing"),
}


def main(rows):
    counts, wrong = Counter(), []
    for task, names in STREAMS.items():
        for name in names:
            for text, learner, found in runs(task, name, rows):
                for c in found:
                    if c.kind == "printed" or not c.applies:
                        continue
                    counts[c.theorem] += c.holds
                    if c.violated:
                        wrong.append([name, text, str(c), learner.rounds])
    print(json.dumps({"counts": counts, "wrong": wrong}))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
