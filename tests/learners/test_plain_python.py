"""Waits for the tests of the learners in plain Python."""


def test_in_plain_python(plain_python):
    run, output = plain_python
    status = run.wait()
    output.seek(0)
    assert status == 0, output.read()[-20_000:]
