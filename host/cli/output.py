"""The standard output, whose errors say what they are about."""

import os
import sys
from contextlib import contextmanager

__all__ = ["Output", "flushed_output"]

NAME = "the output"  #: Stands in an OSError for the path of a file.


class Output:
    """The standard output for a Console: a full disk behind it is an OSError that names it."""

    def __init__(self):
        self._stream = sys.stdout

    def write(self, text):
        """Write a str."""
        with _named_errors():
            return self._stream.write(text)

    def flush(self):
        """Write what is still held."""
        with _named_errors():
            self._stream.flush()

    def __getattr__(self, name):
        return getattr(self._stream, name)


@contextmanager
def flushed_output():
    """Write what is still held at the end, as long as errors can be told."""
    try:
        yield
    finally:
        with _named_errors():
            sys.stdout.flush()


@contextmanager
def _named_errors():
    try:
        yield
    except BrokenPipeError:  # A reader that has enough, like ``head``: nothing to tell.
        _drop_output()
        raise SystemExit(1) from None
    except OSError as error:
        _drop_output()
        error.filename = NAME
        raise


def _drop_output():
    """Let nobody try to write again what could not be written."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
