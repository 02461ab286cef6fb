"""Learning on several processes or machines: shards learned apart, and merged along a fixed tree.

``train`` runs over whatever follows ``concurrent.futures.Executor``, or Dask's client; ``polish`` goes on
by L-BFGS; ``shards`` cuts files.
"""

from fenchel.cluster.cutting import Shard, shards
from fenchel.cluster.lbfgs import Polishing, polish
from fenchel.cluster.partitions import Partition
from fenchel.cluster.training import ShardedRun, train

__all__ = ["Partition", "Polishing", "Shard", "ShardedRun", "polish", "shards", "train"]
