"""The page on live sources: its example runs against the mock cluster."""

from pathlib import Path

import pytest

from docs.code_blocks import Session, blocks_of
from live.brokers import MockKafka

PAGE = Path(__file__).parents[2] / "docs" / "live.md"
KAFKA = "localhost:9092"


def test_from_kafka_to_a_model_to_a_topic_of_predictions(tmp_path, monkeypatch):
    pytest.importorskip("confluent_kafka", reason="confluent-kafka is an extra: fenchel[kafka]")
    monkeypatch.chdir(tmp_path)
    cluster, session = MockKafka("clicks", "predictions", "letters"), Session(PAGE, tmp_path)
    try:
        for block in blocks_of(PAGE.read_text(encoding="utf-8")):
            if KAFKA in block.text:
                text = block.text.replace(KAFKA, cluster.host)
                session.run(type(block)(block.kind, text, block.line))
    finally:
        session.namespace.clear()  # its producer goes before the cluster
        cluster.kill()
    assert session.executed == 3
