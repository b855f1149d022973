# SPDX-License-Identifier: Apache-2.0
"""The standard output, named in its error messages."""

import os
import sys
from contextlib import contextmanager

__all__ = ["Output", "flushed_output"]

NAME = "the output"  #: Replaces the file path in an OSError.


class Output:
    """The standard output for a Console: a full disk raises an OSError naming the output."""

    def __init__(self):
        self._stream = sys.stdout

    def write(self, text):
        """Write a str."""
        with _named_errors():
            return self._stream.write(text)

    def flush(self):
        """Write buffered text."""
        with _named_errors():
            self._stream.flush()

    def __getattr__(self, name):
        return getattr(self._stream, name)


@contextmanager
def flushed_output():
    """Context in which buffered text is written at the end, while errors can still be reported."""
    try:
        yield
    finally:
        with _named_errors():
            sys.stdout.flush()


@contextmanager
def _named_errors():
    try:
        yield
    except BrokenPipeError:  # The reader, such as ``head``, has closed the pipe: not an error.
        _drop_output()
        raise SystemExit(1) from None
    except OSError as error:
        _drop_output()
        error.filename = NAME
        raise


def _drop_output():
    """Redirect the standard output to the null device, so no later write fails again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
