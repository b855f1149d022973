# SPDX-License-Identifier: Apache-2.0
"""Old builds go, and never one that another process is about to open."""

import os
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from xymac.host.files import hold_lock
from xymac.sim.build import cache, prune
from xymac.sim.build.cache import cached
from xymac.sim.build.prune import FRESH, KEPT, UNUSED, mark_used

HASH = "0123456789abcdef"


@pytest.fixture
def root(monkeypatch, tmp_path):
    monkeypatch.setattr(cache, "build_root", lambda: tmp_path)
    return tmp_path


def make(folder):
    (folder / "top").write_text("content")


def age(folder, seconds):
    """Let ``folder`` be unused for so long; returns it."""
    then = time.time() - seconds
    os.utime(folder, (then, then))
    return folder


def aged(root, name, seconds):
    folder = root / name
    folder.mkdir()
    make(folder)
    return age(folder, seconds)


def number(index):
    """A different hash for every index."""
    return f"{index:016x}"


def test_the_builds_used_last_of_every_name_stay(root):
    builds = {name: [aged(root, f"{name}-{number(index)}", 2 * FRESH + index) for index in order]
              for name, order in (("core-base", range(KEPT + 3)),
                                  ("core", reversed(range(KEPT + 2))), ("few", range(2)))}

    prune.prune(root)

    assert all(folder.exists() for folder in builds["few"])
    for name in ("core-base", "core"):
        left = {folder.name for folder in builds[name] if folder.exists()}
        assert left == {f"{name}-{number(index)}" for index in range(KEPT)}


def test_fresh_builds_stay_whatever_their_number(root):
    builds = [aged(root, f"core-{number(index)}", FRESH - 60) for index in range(3 * KEPT)]

    prune.prune(root)

    assert all(folder.exists() for folder in builds)


def test_a_build_that_nobody_used_for_long_goes(root):
    old, new = aged(root, f"old-{HASH}", UNUSED + 60), aged(root, f"new-{HASH}", UNUSED - 60)

    prune.prune(root)

    assert not old.exists()
    assert new.exists()


def test_what_is_no_build_stays(root):
    others = [aged(root, name, 2 * UNUSED) for name in ("fit", ".hidden", "core-base", "x-0123")]
    file   = root / f"core-{HASH}"
    file.write_text("")
    age(file, 2 * UNUSED)

    prune.prune(root)

    assert all(path.exists() for path in (*others, file))


def test_what_killed_processes_left_goes(root):
    old   = [aged(root, name, FRESH + 60) for name in (".core-base-a1b2_3d4", ".pruned-abcdefgh")]
    fresh = aged(root, ".core-base-zzzzzzzz", FRESH - 60)

    prune.prune(root)

    assert not any(path.exists() for path in old)
    assert fresh.exists()


def test_a_new_build_takes_the_place_of_an_old_one(root):
    old = [age(cached("core", [str(index)], make), 3 * FRESH - index) for index in range(KEPT)]

    new = cached("core", ["new"], make)

    assert new.exists()
    assert [folder.exists() for folder in old] == [False] + [True] * (KEPT - 1)
    assert sorted(path.name for path in root.iterdir()) == sorted(
        [".lock", ".lock-core", new.name, *(folder.name for folder in old[1:])])


def test_to_ask_for_a_build_is_to_use_it(root):
    old = [age(cached("core", [str(index)], make), 3 * FRESH - index) for index in range(KEPT)]

    assert cached("core", ["0"], None) == old[0]
    cached("core", ["new"], make)

    assert [folder.exists() for folder in old] == [True, False] + [True] * (KEPT - 2)


def test_a_build_that_goes_in_this_moment_is_made_again(root):
    folder, made = cached("core", ["a"], make), []

    def ask():
        cached("core", ["a"], lambda growing: made.append(growing))

    asking = threading.Thread(target=ask)
    with hold_lock(root / prune.LOCK):
        asking.start()
        asking.join(timeout=0.2)
        assert asking.is_alive()
        folder.rename(root / "gone")
    asking.join()

    assert len(made) == 1
    assert folder.exists()


def test_no_build_is_not_marked(root):
    assert not mark_used(root / f"core-{HASH}")


def open_all(root, keys):
    """Ask for a build of every key and open it at once, as another process; returns what it read.

    Every third one is new, so that builds go meanwhile.
    """
    cache.build_root = lambda: root
    contents = []
    for index, key in enumerate(keys):
        contents.append((cached("core", [key], make) / "top").read_text())
        if index % 3 == 0:
            contents.append((cached("core", [f"{os.getpid()} {key}"], make) / "top").read_text())
    return contents


def test_processes_find_every_build_they_ask_for(root):
    keys = [str(index) for index in range(60)]
    for folder in [cached("core", [key], make) for key in keys]:
        age(folder, FRESH + 60)

    with ProcessPoolExecutor(4, get_context("spawn")) as pool:
        readers = [pool.submit(open_all, root, order).result
                   for order in (keys, keys[::-1], keys[30:] + keys[:30], keys[::2] + keys[1::2])]
        read = [text for result in readers for text in result()]

    assert read == ["content"] * 4 * 80
