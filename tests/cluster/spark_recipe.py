"""The recipe for Spark of ``docs/cluster.md`` on a local session: ``python -m tests.cluster.spark_recipe``.

It needs pyspark and Java. Partitions of a frame are learned by ``mapInArrow``, the driver merges, and the
weights must be those of one machine to 1e-9.
"""

import pickle

import numpy as np
import pandas as pd

import fenchel


def learn(batches):
    """What each partition does: learn its record batches, and hand back the model."""
    import pyarrow as pa

    learner = fenchel.learners.vovk_azoury_warmuth(schema=fenchel.Schema(label="y"))
    for batch in batches:
        learner.learn_many(pa.Table.from_batches([batch]))
    yield pa.RecordBatch.from_pydict({"model": [pickle.dumps(learner)]})


def main():
    from pyspark.sql import SparkSession

    X = np.random.default_rng(0).normal(size=(400, 3))
    rows = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": X @ [1.0, -2.0, 0.5]})
    spark = SparkSession.builder.master("local[2]").appName("fenchel").getOrCreate()
    frame = spark.createDataFrame(rows).repartition(4)
    found = frame.mapInArrow(learn, "model binary").collect()
    merged = fenchel.merge([pickle.loads(row.model) for row in found])
    spark.stop()
    one = fenchel.learners.vovk_azoury_warmuth(schema=fenchel.Schema(label="y"))
    one.learn_many(rows)
    names = sorted(one.weights())
    off = max(abs(merged.weights()[name] - one.weights()[name]) for name in names)
    print(f"{len(found)} partitions, {merged.rounds} rows, weights within {off:.1e} of one machine")
    raise SystemExit(not (merged.rounds == 400 and off < 1e-9))


if __name__ == "__main__":
    main()
