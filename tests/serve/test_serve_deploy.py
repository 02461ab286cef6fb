"""TLS, and the files of deploy/: what they start is there."""

import re
import shutil
import ssl
import subprocess
from pathlib import Path

import pytest

from fenchel.client import Client
from serve.running import running

DEPLOY = Path(__file__).parents[2] / "deploy"


def test_a_client_talks_over_tls(tmp_path):
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl here")
    pem, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1",
               "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
               "-out", str(pem), "-keyout", str(key)]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    with running(tmp_path / "d", "--certificate", str(pem), "--key", str(key)) as server:
        assert server.url.startswith("https://127.0.0.1:")
        with Client(server.url, verify=ssl.create_default_context(cafile=pem)) as client:
            client.create("m", learner="arow")
            assert client.learn("m", {"a": 1.0}, 1)["position"] == 0
        with (
            Client(server.url, attempts=1) as stranger,
            pytest.raises(Exception, match="CERTIFICATE"),
        ):
            stranger.models()


def test_systemd_takes_the_unit(tmp_path):
    if shutil.which("systemd-analyze") is None:
        pytest.skip("there is no systemd-analyze here")
    unit = (DEPLOY / "fenchel.service").read_text()
    here = re.sub(
        r"ExecStart=\S+", "ExecStart=/bin/true", unit
    )  # that of the unit is not installed
    (tmp_path / "fenchel.service").write_text(here)
    command = ["systemd-analyze", "verify", str(tmp_path / "fenchel.service")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("file", ["Dockerfile", "fenchel.service"])
def test_every_option_of_the_deployment_is_one_of_the_command(file):
    from fenchel.cli.app import serve

    known = {word for parameter in serve.params for word in parameter.opts}
    start = next(
        line
        for line in (DEPLOY / file).read_text().splitlines()
        if '"serve"' in line or "ExecStart" in line
    )
    wanted = set(re.findall(r"--[a-z-]+", start))
    assert wanted
    assert wanted <= known
