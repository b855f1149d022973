# SPDX-License-Identifier: Apache-2.0
"""Output files appear complete or not at all."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from xymac.host.files import (
    check_writable,
    fill_folder,
    make_folder,
    write_file,
    write_whole,
)


@pytest.mark.parametrize("content", ["text\n", b"\x00\xff"])
def test_write_file_replaces(content, tmp_path):
    path = tmp_path / "out"
    path.write_text("before")

    write_file(path, content)

    assert path.read_bytes() == (content.encode() if isinstance(content, str) else content)
    assert list(tmp_path.iterdir()) == [path]


def interrupt(path):
    """Write half a file and fail."""
    path.write_text("half")
    raise ZeroDivisionError


def test_a_failure_keeps_the_old_file(tmp_path):
    path = tmp_path / "out"
    path.write_text("before")

    with pytest.raises(ZeroDivisionError), write_whole(path) as partial:
        interrupt(partial)

    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_written_is_an_error(tmp_path):
    with pytest.raises(ValueError, match=r"^Cannot write .*out: No such file"):
        with write_whole(tmp_path / "out"):
            pass


def test_refuses_a_folder(tmp_path):
    with pytest.raises(ValueError, match=r"^Cannot write .*: it is a folder$"):
        check_writable(tmp_path)


@pytest.mark.parametrize("write", [check_writable, make_folder])
def test_a_dash_names_no_file(write, monkeypatch, tmp_path):
    """Elsewhere it is the standard output."""
    monkeypatch.chdir(tmp_path)

    with pytest.raises(ValueError, match=r"must have a name, not -: .* the standard output$"):
        write("-")

    assert not [*tmp_path.iterdir()]


def test_refuses_a_missing_folder(tmp_path):
    with pytest.raises(ValueError, match=r"^Cannot write .*: there is no folder .*gone$"):
        write_file(tmp_path / "gone" / "out", "text")


def test_refuses_a_folder_that_takes_no_files(monkeypatch, tmp_path):
    def refuse(dir):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("xymac.host.files.whole.tempfile.TemporaryFile", refuse)

    with pytest.raises(ValueError, match=r"^Cannot write .*out: No space left on device$"):
        check_writable(tmp_path / "out")


def test_refuses_a_folder_without_permission(monkeypatch, tmp_path):
    monkeypatch.setattr("xymac.host.files.whole.os.access", lambda path, mode: False)

    with pytest.raises(ValueError, match=r"^Cannot write .*out: permission denied$"):
        check_writable(tmp_path / "out")


def test_many_may_write_one_file_at_the_same_time(tmp_path):
    path = tmp_path / "file"

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: write_file(path, str(number) * 100_000), [1, 2] * 200))

    assert path.read_text() in ("1" * 100_000, "2" * 100_000)
    assert [*tmp_path.iterdir()] == [path]


def test_a_folder_is_filled_at_its_end(tmp_path):
    with fill_folder(tmp_path / "new") as folder:
        make_folder(folder / "inner")
        with fill_folder(folder / "inner") as inner:
            write_file(inner / "a", "1")
        write_file(folder / "b", "2")
        assert not [path for path in folder.rglob("*") if path.name in "ab"]

    assert (folder / "inner/a").read_text() + (folder / "b").read_text() == "12"
    assert len([*folder.rglob("*")]) == 3


def test_files_outside_a_folder_do_not_wait_for_it(tmp_path):
    """A cache that is written in between can be read at once."""
    with fill_folder(tmp_path / "new"):
        write_file(tmp_path / "cache", "1")
        assert (tmp_path / "cache").read_text() == "1"


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
@pytest.mark.parametrize("is_new", [False, True])
def test_a_folder_stays_as_it_was_after_a_failure(is_new, error, tmp_path):
    folder = tmp_path / "x"
    if not is_new:
        folder.mkdir()
        write_file(folder / "a", "old")

    with pytest.raises(error):
        fill(folder, error)

    assert folder.exists() is not is_new
    assert is_new or [path.read_text() for path in folder.rglob("*") if path.is_file()] == ["old"]


def fill(folder, error):
    with fill_folder(folder):
        write_file(folder / "a", "new")
        make_folder(folder / "inner")
        write_file(folder / "inner/b", "new")
        raise error
