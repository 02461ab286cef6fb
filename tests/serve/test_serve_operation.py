"""Running a server: locks, signals, tokens, public addresses, the command to replay."""

import json
import subprocess
import sys

import httpx

from serve.running import Running, running

ROW = {"x": {"a": 1.0, "b": 2.0}, "y": 1}


def refused(*arguments):
    """The one line with which a server does not start."""
    command = [sys.executable, "-m", "fenchel", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode in (1, 2), done.stderr
    return done.stderr.strip().splitlines()[-1]


def test_sigterm_saves_and_the_next_start_goes_on(tmp_path):
    server = Running(tmp_path / "d")
    with server.client() as client:
        client.post("/models/m", json={"learner": "arow"})
        client.post("/models/m/learn", json=ROW)
        client.post("/models/m/ask", json={"id": "q", "x": {"a": 2.0}})
        before = client.get("/models/m/file").content
    assert server.stop() == 0
    assert [told["event"] for told in server.said][-1] == "stopped"
    with running(tmp_path / "d") as server, server.client() as client:
        opened = next(told for told in server.said if told["event"] == "opened")
        assert (opened["position"], opened["replayed"]) == (2, 0)
        assert client.get("/models/m/file").content == before
        assert client.post("/models/m/answer", json={"id": "q", "y": 0}).status_code == 200


def test_a_second_server_on_the_folder_is_refused_and_so_is_a_taken_port(server, tmp_path):
    folder = server.process.args[4]
    assert "is served already, by process" in refused("serve", folder, "--port", 0)
    port = server.url.rpartition(":")[2]
    assert "choose another --port" in refused("serve", tmp_path / "other", "--port", port)


def test_a_public_address_needs_tokens(tmp_path):
    assert "--token-file" in refused("serve", tmp_path, "--host", "0.0.0.0")


def test_tokens_give_roles_and_are_hashed_at_rest(tmp_path):
    file = tmp_path / "tokens"
    file.write_text("# ours\nread tiny-read\nlearn tiny-learn\nadmin tiny-admin\n")
    with running(tmp_path / "d", "--token-file", str(file), "--line-port", "0") as server:
        assert "tiny" not in file.read_text()
        statuses = {}
        for name in ("tiny-admin", "tiny-learn", "tiny-read", "wrong", "Bearer"):
            headers = {"authorization": f"Bearer {name}"}
            with server.client(headers=headers) as client:
                statuses[name] = [
                    client.post("/models/m", json={"learner": "arow"}).status_code,
                    client.post("/models/m/learn", json=ROW).status_code,
                    client.post("/models/m/predict", json={"x": ROW["x"]}).status_code,
                    client.get("/models").status_code,
                    client.get("/healthz").status_code,
                ]
    assert statuses == {
        "tiny-admin": [201, 200, 200, 200, 200],
        "tiny-learn": [403, 200, 200, 200, 200],
        "tiny-read": [403, 403, 200, 200, 200],
        "wrong": [401, 401, 401, 401, 200],
        "Bearer": [401, 401, 401, 401, 200],
    }
    with running(tmp_path / "d", "--token-file", str(file)) as server:  # the hashes alone will do
        headers = {"authorization": "Bearer tiny-read"}
        assert httpx.get(f"{server.url}/models", headers=headers).status_code == 200


def test_line_clients_need_the_token_too(tmp_path):
    from serve.test_serve_lines import said

    file = tmp_path / "tokens"
    file.write_text("learn tiny-learn\nadmin tiny-admin\n")
    with running(tmp_path / "d", "--token-file", str(file), "--line-port", "0") as server:
        headers = {"authorization": "Bearer tiny-admin"}
        httpx.post(f"{server.url}/models/m", json={"learner": "arow"}, headers=headers, timeout=99)
        assert said(server, "1 |f a\n") == ["error: begin with a line: fenchel token=TOKEN"]
        assert said(server, "fenchel model=m token=tiny-learn\n1 |f a\n") == ["0"]


def test_a_damaged_log_is_refused_in_one_line(tmp_path):
    with running(tmp_path / "d") as server, server.client() as client:
        client.post("/models/m", json={"learner": "arow"})
        for _ in range(3):
            client.post("/models/m/learn", json=ROW)
        server.kill()
    file = tmp_path / "d" / "m" / f"{0:020}.log"
    data = bytearray(file.read_bytes())
    data[60] ^= 1
    file.write_bytes(data)
    assert "damaged, with sound records" in refused("serve", tmp_path / "d", "--port", 0)


def test_replay_from_the_command_line(tmp_path):
    with running(tmp_path / "d") as server, server.client() as client:
        client.post("/models/m", json={"learner": "arow"})
        lines = "".join(json.dumps({**ROW, "y": k % 2}) + "\n" for k in range(50))
        headers = {"content-type": "application/x-ndjson"}
        client.post("/models/m/learn", content=lines, headers=headers)
        file = client.get("/models/m/file").content
    command = [sys.executable, "-m", "fenchel", "replay", str(tmp_path / "d" / "m"), "--save"]
    subprocess.run([*command, str(tmp_path / "same")], check=True, capture_output=True)
    assert (tmp_path / "same").read_bytes() == file
    other = [*command, str(tmp_path / "other"), "--learner", "perceptron"]
    done = subprocess.run(other, check=True, capture_output=True, text=True)
    assert "perceptron" in done.stderr
