import pytest

from live.brokers import NO_REDIS, MockKafka, RedisServer


@pytest.fixture(scope="module")
def redis_server(tmp_path_factory):
    pytest.importorskip("redis", reason="redis-py is an extra: fenchel[redis]")
    if not RedisServer.is_there():
        pytest.skip(NO_REDIS)
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    yield server
    server.kill()


@pytest.fixture(scope="module")
def mock_kafka():
    pytest.importorskip("confluent_kafka", reason="confluent-kafka is an extra: fenchel[kafka]")
    cluster = MockKafka("clicks:1", "several:3", "predictions:1", "letters:1")
    yield cluster
    cluster.kill()
