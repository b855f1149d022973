# SPDX-License-Identifier: Apache-2.0
"""Damaged files of every reader, through the command line: 0, 1 or 2, one sentence, and soon.

``pytest --stimuli 10000`` gives that many to each.
"""

import resource
import shutil
import sys
import time
from functools import cache

import pytest

from tests.support.readers import READERS
from tests.support.seed import random_of
from xymac.host import extensions
from xymac.sim.regress import pieces

SECONDS = 10        #: That one damaged file may take if it is refused,
LONGEST = 120       #: and if it is computed: it may be a much longer sequence.
GROWTH  = 600 << 10 #: KiB by which the highest use of memory may grow,
MEMORY  = 1 << 20   #: and KiB that it may reach, if it is not there before.
COUNT   = 12        #: Files of a reader without --stimuli.


def check_reader(reader, count, key, capsys):
    """Give ``count`` damaged files to a Reader; how many were refused."""
    rng, refused = random_of(key), 0
    assert reader.run(reader.arguments) == reader.code, capsys.readouterr().err
    clear(reader.written)
    kept, before = files_of(reader), highest()
    for number in range(count):
        reader.damage(rng)
        capsys.readouterr()
        start = time.process_time()
        code  = reader.run(reader.arguments)
        out, told = capsys.readouterr()
        where = f"file {number}: {code}\n{told}"
        assert code in (0, 1, 2), where
        assert time.process_time() - start < (SECONDS if code == 2 else LONGEST), where
        assert all(char.isprintable() or char == "\n" for char in out + told), where
        assert "Traceback" not in told, where
        written = [path for path in reader.written if path.exists()]
        if code == 2:
            refused += 1
            assert told.count("\n") == 1, where
            assert len(told) < 2000, where
            assert not written, where
        clear(written)
        assert files_of(reader) == kept, where
    assert highest() - before < GROWTH
    assert highest() < max(MEMORY, before + 1)
    return refused


def highest():
    """Highest use of memory so far, KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def files_of(reader):
    """Names in the folder of a Reader: all that it reads."""
    return {path.name for path in reader.path.parent.iterdir()} - {"__pycache__"}


def clear(paths):
    for path in paths:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def _once(cut):
    """``cut``, a generator of a folder, computed once a folder."""
    return cache(lambda root: tuple(cut(root)))


@pytest.fixture(autouse=True)
def _same_packages(monkeypatch):
    """The metadata of all packages are read once: they take most of the time of a command."""
    for name in ("entry_points", "_rank"):
        monkeypatch.setattr(extensions, name, cache(getattr(extensions, name)))
    for name in ("cut_gates", "cut_tests", "cut_vectors"):  # which parse all tests
        monkeypatch.setattr(pieces, name, _once(getattr(pieces, name)))


@pytest.mark.parametrize("name", READERS)
def test_damaged_files(name, tmp_path, capsys, stimuli, counted):
    count  = stimuli(COUNT)
    reader = READERS[name](tmp_path)

    refused = check_reader(reader, count, 1, capsys)

    assert refused > 0
    counted(f"damaged files: {name}", count)


@pytest.mark.parametrize(("action", "message"), [
    (lambda path: 70, "file 0: 70"),
    (lambda path: sys.stdout.write("\x1b[2J") // 4, "file 0: 1"),
    (lambda path: path.with_name("half").write_text("x") and 1, "file 0: 1")])
def test_a_reader_that_misbehaves_is_seen(action, message, tmp_path, capsys):
    reader = READERS["npy"](tmp_path)
    answers = iter([lambda path: 0, action])
    reader.run = lambda arguments: next(answers)(reader.path)

    with pytest.raises(AssertionError, match=f"^{message}"):
        check_reader(reader, 1, 1, capsys)
