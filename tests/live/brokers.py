"""Brokers for tests, on this machine alone: a real redis-server, and librdkafka's mock cluster."""

import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
NO_REDIS = "there is no redis-server here: apt-get install redis-server"


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class RedisServer:
    """A redis-server that loses nothing when it is killed."""

    def __init__(self, folder):
        self.folder, self.port = folder, free_port()
        self.start()

    @staticmethod
    def is_there():
        return shutil.which("redis-server") is not None

    def start(self):
        options = {"--port": self.port, "--bind": "127.0.0.1", "--dir": self.folder,
                   "--appendonly": "yes", "--appendfsync": "always", "--save": ""}  # fmt: skip
        command = ["redis-server", *(str(word) for pair in options.items() for word in pair)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        while not self._answers():
            time.sleep(0.01)

    def _answers(self):
        import redis

        try:
            return self.client().ping()
        except redis.RedisError:
            return False

    def client(self, **given):
        import redis

        return redis.Redis(port=self.port, protocol=2, **given)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def restart(self):
        self.kill()
        self.start()

    def address(self, stream):
        return f"redis://127.0.0.1:{self.port}/{stream}"

    def add(self, stream, lines):
        pipeline = self.client().pipeline(transaction=False)
        for line in lines:
            pipeline.xadd(stream, {"data": line})
        pipeline.execute()

    def all(self, stream):
        return [fields[b"data"].decode() for _, fields in self.client().xrange(stream)]


class MockKafka:
    """A mock cluster of one broker."""

    def __init__(self, *topics):
        command = [sys.executable, str(HERE / "mock_kafka.py"), *topics]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen(command, **pipes)
        self.host = self.process.stdout.readline().strip()

    def _order(self, word):
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline().strip() == "done"

    def restart(self, seconds=0.05):
        """The broker goes away for a moment; its connections are cut."""
        self._order("down")
        time.sleep(seconds)
        self._order("up")

    def address(self, topic):
        return f"kafka://{self.host}/{topic}"

    def add(self, topic, lines, partition=0, times=None):
        from confluent_kafka import Producer

        producer = Producer({"bootstrap.servers": self.host, "enable.idempotence": True})
        for k, line in enumerate(lines):
            when = {} if times is None else {"timestamp": times[k]}
            producer.produce(topic, line.encode(), partition=partition, **when)
            producer.poll(0)
        assert producer.flush(30) == 0

    def all(self, topic):
        """The messages of partition 0."""
        from confluent_kafka import Consumer, TopicPartition

        consumer = Consumer({"bootstrap.servers": self.host, "group.id": "tests"})
        try:
            first, end = consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=10)
            if first == end:
                return []
            consumer.assign([TopicPartition(topic, 0, first)])
            found = []
            while len(found) < end - first:
                found += [m.value().decode() for m in consumer.consume(1000, 1.0) if not m.error()]
            return found
        finally:
            consumer.close()

    def kill(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()
