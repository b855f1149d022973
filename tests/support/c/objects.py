# SPDX-License-Identifier: Apache-2.0
"""Object files by content: what is compiled equally is compiled once, as simulators are."""

import contextlib
import hashlib
import os
import subprocess
import tempfile
import time
from functools import cache

from xymac.host.files.root import build_root

__all__ = ["compile_once"]

_UNUSED = 30 * 86400  #: Seconds after which an unused object file is deleted.


def compile_once(compiler, options, source, folder):
    """Object file of a source, a path beside it; AssertionError if the compiler refuses it.

    Parameters
    ----------
    compiler : list of str, words of a compiler of C
    options : list of str, options without paths in folders of the test
    source : Path; it includes headers beside it and in ``folder``, and no other file of the test
    folder : Path, an option -I
    """
    target = source.with_suffix(".o")
    text   = [_version(tuple(compiler)), *compiler, *options, source.name, source.read_bytes()]
    for place in (folder, source.parent):
        text += ["in", *((str(path.relative_to(place)), path.read_bytes())
                         for path in sorted(place.rglob("*.h")))]
    kept = _folder() / f"{hashlib.sha256(repr(text).encode()).hexdigest()}.o"
    with contextlib.suppress(FileNotFoundError):
        target.write_bytes(kept.read_bytes())
        os.utime(kept)
        return target
    done = subprocess.run([*compiler, *options, f"-I{folder}", "-c", source, "-o", target],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with tempfile.NamedTemporaryFile(dir=kept.parent, delete=False) as growing:
        growing.write(target.read_bytes())
    os.rename(growing.name, kept)
    return target


@cache
def _version(compiler):
    """Version, target and folder of a compiler, as it prints them."""
    return subprocess.run([*compiler, "-v"], capture_output=True, text=True, check=True).stderr


@cache
def _folder():
    """Folder of the object files, without old ones."""
    folder = build_root() / "objects"
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        with contextlib.suppress(FileNotFoundError):  # another process deleted it
            if time.time() - path.stat().st_mtime > _UNUSED:
                path.unlink()
    return folder
