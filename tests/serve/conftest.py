import pytest

from serve.running import running


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server for the tests of one module, with a line port."""
    with running(tmp_path_factory.mktemp("served"), "--line-port", "0") as started:
        yield started


@pytest.fixture
def client(server):
    with server.client() as made:
        yield made


@pytest.fixture
def model(client, request):
    """A model of its own for each test: its path."""
    path = f"/models/{request.node.name[:50].replace('[', '-').replace(']', '')}"
    answer = client.post(path, json={"learner": "arow", "task": "binary"})
    assert answer.status_code == 201, answer.text
    return path
