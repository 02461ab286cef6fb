"""A save replaces a file whole, durably, or leaves what was there."""

import errno
import os
import resource
import stat
import threading

import numpy as np
import pytest

from fenchel import models

BEFORE = {"a": np.arange(3.0)}
AFTER = {"a": np.arange(100_000.0)}


@pytest.fixture
def path(tmp_path):
    models.write(tmp_path / "m.fenchel", BEFORE, {"rounds": 1})
    return tmp_path / "m.fenchel"


def untouched(path):
    arrays, metadata = models.read(path)
    return (
        metadata == {"rounds": 1}
        and np.array_equal(arrays["a"], BEFORE["a"])
        and os.listdir(path.parent) == [path.name]
    )


def test_content_is_on_disk_before_the_name_and_the_name_before_returning(path, monkeypatch):
    calls = []
    folder = path.parent.stat().st_ino

    def fsync(descriptor, really=os.fsync):
        calls.append("folder" if os.fstat(descriptor).st_ino == folder else "file")
        for temporary in path.parent.glob(".fenchel-*.tmp"):
            models.verify(temporary)  # nothing of it waits in a buffer
        really(descriptor)

    def replace(source, target, really=os.replace):
        calls.append("replace")
        assert models.read_metadata(source) == {"rounds": 2}
        assert models.read_metadata(target) == {"rounds": 1}
        really(source, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", replace)
    models.write(path, AFTER, {"rounds": 2})
    assert calls == ["file", "replace", "folder"]


def test_a_limit_on_file_size_leaves_the_previous_model(path):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises(OSError, match="not saved, what was there before is unchanged") as error:
            models.write(path, AFTER, {"rounds": 2})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert error.value.errno == errno.EFBIG
    assert error.value.filename == str(path)
    assert "\n" not in str(error.value)
    assert untouched(path)


@pytest.mark.parametrize("call", ["fsync", "replace", "chmod"])
@pytest.mark.parametrize("failure", [OSError(errno.ENOSPC, "No space left"), KeyboardInterrupt()])
def test_any_failure_leaves_the_previous_model(path, monkeypatch, call, failure):
    def fail(*_):
        raise failure

    with monkeypatch.context() as patch:
        patch.setattr(os, call, fail)
        with pytest.raises(type(failure)):
            models.write(path, AFTER, {"rounds": 2})
    assert untouched(path)


def test_a_missing_folder_is_said(tmp_path):
    with pytest.raises(FileNotFoundError, match="not saved"):
        models.write(tmp_path / "no" / "m.fenchel", BEFORE, {})


@pytest.mark.parametrize("kind", ["folder", "fifo", "socket", "device"])
def test_only_regular_files_are_replaced(tmp_path, kind):
    # Only nodes of our own: were the check ever broken, root would replace a device of the machine.
    path = tmp_path / kind
    make_special(path, kind)
    before = path.lstat()
    with pytest.raises(models.ModelRefused, match="is not a regular file; name another"):
        models.write(path, BEFORE, {})
    assert (path.lstat().st_ino, path.lstat().st_mode) == (before.st_ino, before.st_mode)
    assert os.listdir(tmp_path) == [kind]


def make_special(path, kind):
    if kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "socket":
        os.mknod(path, stat.S_IFSOCK | 0o666)
    else:
        try:
            os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 7))  # as /dev/full
        except PermissionError:
            pytest.skip("making a device needs root")


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o000])
def test_new_files_follow_the_umask(tmp_path, umask):
    before = os.umask(umask)
    try:
        models.write(tmp_path / "m", BEFORE, {})
    finally:
        os.umask(before)
    assert (tmp_path / "m").stat().st_mode & 0o777 == 0o666 & ~umask


@pytest.mark.parametrize("mode", [0o600, 0o664])
def test_existing_permissions_stay(path, mode):
    path.chmod(mode)
    models.write(path, AFTER, {})
    assert path.stat().st_mode & 0o777 == mode


@pytest.mark.parametrize("dangling", [False, True])
def test_a_link_keeps_pointing_to_its_target(tmp_path, dangling):
    (tmp_path / "store").mkdir()
    target, link = tmp_path / "store" / "m", tmp_path / "link"
    if not dangling:
        models.write(target, BEFORE, {})
    link.symlink_to(target)
    models.write(link, AFTER, {"rounds": 2})
    assert link.is_symlink()
    assert models.read_metadata(target) == {"rounds": 2}
    assert os.listdir(tmp_path / "store") == ["m"]


def test_longest_possible_name(tmp_path):
    models.write(tmp_path / ("m" * 255), BEFORE, {})
    assert models.read_metadata(tmp_path / ("m" * 255)) == {}


def test_leftovers_of_killed_processes_are_cleared_but_not_of_living_ones(path, monkeypatch):
    (path.parent / ".fenchel-0123.tmp").write_bytes(b"left by a killed process")
    meanwhile = []

    def replace(source, target, really=os.replace):
        monkeypatch.setattr(os, "replace", really)
        models.write(path.with_name("other"), BEFORE, {})
        meanwhile.extend(os.listdir(path.parent))
        really(source, target)

    monkeypatch.setattr(os, "replace", replace)
    models.write(path, AFTER, {"rounds": 2})
    assert ".fenchel-0123.tmp" not in meanwhile
    assert len([name for name in meanwhile if name.startswith(".fenchel-")]) == 1
    assert sorted(os.listdir(path.parent)) == ["m.fenchel", "other"]
    assert models.read_metadata(path) == {"rounds": 2}


def test_a_temporary_cleared_away_before_it_was_locked_is_made_again(path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")

    def flock(descriptor, operation, really=fcntl.flock):
        monkeypatch.setattr(fcntl, "flock", really)
        for leftover in path.parent.glob(".fenchel-*.tmp"):
            leftover.unlink()
        really(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", flock)
    models.write(path, AFTER, {"rounds": 2})
    assert models.read_metadata(path) == {"rounds": 2}
    assert os.listdir(path.parent) == ["m.fenchel"]


def test_arrays_that_change_while_they_are_saved_still_make_a_whole_file(path):
    array = np.zeros(1 << 20)
    stop = threading.Event()

    def learn():
        while not stop.is_set():
            array[:] += 1.0

    thread = threading.Thread(target=learn)
    thread.start()
    try:
        for _ in range(10):
            models.write(path, {"a": array}, {})
            models.verify(path)
    finally:
        stop.set()
        thread.join()


def test_threads_saving_to_one_path_leave_a_whole_file(path):
    def save(rounds):
        for _ in range(20):
            models.write(path, {"a": np.full(1000, float(rounds))}, {"rounds": rounds})

    threads = [threading.Thread(target=save, args=(rounds,)) for rounds in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    arrays, metadata = models.read(path)
    assert (arrays["a"] == metadata["rounds"]).all()
    assert os.listdir(path.parent) == [path.name]
