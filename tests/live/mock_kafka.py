"""librdkafka's mock cluster in a process of its own: ``python mock_kafka.py TOPIC:PARTITIONS …``.

Prints the address of its broker, then obeys standard input: ``down`` and ``up``; it ends with the input.
"""

import ctypes
import sys
from pathlib import Path

import confluent_kafka


def librdkafka():
    """The library that confluent-kafka brings along."""
    folder = Path(confluent_kafka.__file__).parents[1] / "confluent_kafka.libs"
    return ctypes.CDLL(str(next(folder.glob("librdkafka-*"))))


def main(topics):
    library = librdkafka()
    for name in ("rd_kafka_new", "rd_kafka_mock_cluster_new", "rd_kafka_conf_new"):
        getattr(library, name).restype = ctypes.c_void_p
    library.rd_kafka_mock_cluster_bootstraps.restype = ctypes.c_char_p
    client = ctypes.c_void_p(
        library.rd_kafka_new(0, ctypes.c_void_p(library.rd_kafka_conf_new()), None, 0)
    )
    cluster = ctypes.c_void_p(library.rd_kafka_mock_cluster_new(client, 1))
    for topic in topics:
        name, _, partitions = topic.partition(":")
        library.rd_kafka_mock_topic_create(cluster, name.encode(), int(partitions or 1), 1)
    print(library.rd_kafka_mock_cluster_bootstraps(cluster).decode(), flush=True)
    for line in sys.stdin:
        change = {"down": library.rd_kafka_mock_broker_set_down,
                  "up": library.rd_kafka_mock_broker_set_up}[line.strip()]  # fmt: skip
        change(cluster, 1)
        print("done", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
