# SPDX-License-Identifier: Apache-2.0
"""Files from outside, read whole and no larger than a limit."""

import json
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from xymac.host.errors import InputError

__all__ = ["LIMIT", "check_bytes", "check_file", "read_file", "read_json", "read_text", "set_limit"]

LIMIT = 1 << 30  #: Default size limit for a file and for its unpacked arrays, bytes.

_limit = ContextVar("limit", default=LIMIT)


@contextmanager
def set_limit(count):
    """Read files up to ``count`` bytes in this context."""
    token = _limit.set(count)
    try:
        yield
    finally:
        _limit.reset(token)


def check_bytes(path, count):
    """Raise InputError if ``count`` bytes, the content size of ``path``, exceed the limit."""
    if count > _limit.get():
        raise InputError(f"{path} holds {count:,} bytes, and the limit is {_limit.get():,} "
                         f"(--read-limit raises it)")


def check_file(path, absent="There is no file {}"):
    """Raise InputError unless ``path`` is a regular file; ``absent`` if nothing is there."""
    if path.is_dir():
        raise InputError(f"{path} is a folder, not a file")
    if path.exists() and not path.is_file():
        raise InputError(f"{path} is a device or a pipe, not a file")
    if not path.is_file():
        raise InputError(absent.format(path))


def read_file(path):
    """All bytes of a file; InputError if it cannot be read or exceeds the limit."""
    path = Path(path)
    try:
        with path.open("rb") as file:
            size = path.stat().st_size
            check_bytes(path, size)
            content = file.read(min(_limit.get(), size or LIMIT) + 1)  # pipes have no size
            check_bytes(path, len(content))
            return content
    except FileNotFoundError:
        raise InputError(f"There is no file {path}") from None
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror}") from error


def read_text(path):
    """A UTF-8 file's text; InputError if it cannot be read or is no such text."""
    try:
        return read_file(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is no text in UTF-8: byte {error.start} is "
                         f"{error.object[error.start]:#04x}") from error


def read_json(path):
    """A JSON file's value; InputError if it cannot be read or is damaged."""
    content = read_file(path)
    try:
        return json.loads(content.decode("utf-8"))
    except (RecursionError, ValueError) as error:
        raise InputError(f"{path} is not valid JSON: {error}") from error
