"""Learning on several processes or machines: shards learned apart, and merged along a fixed tree.

``train`` runs over whatever follows ``concurrent.futures.Executor``; ``shards`` cuts files.
"""

from fenchel.cluster.cutting import Shard, shards
from fenchel.cluster.training import ShardedRun, train

__all__ = ["Shard", "ShardedRun", "shards", "train"]
