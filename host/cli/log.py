# SPDX-License-Identifier: Apache-2.0
"""Log messages from xymac's modules while a command runs, on the standard error."""

import logging
import sys
from contextlib import contextmanager

from xymac.host.files.text import plain

__all__ = ["messages_shown"]

_NAME = "xymac"  #: Prefix of all logger names.


class _Handler(logging.Handler):
    """Writes every message once to the current ``sys.stderr``, so a progress bar can move away."""

    def __init__(self):
        super().__init__(logging.INFO)
        self._told = set()

    def emit(self, record):
        text = record.getMessage()
        if record.levelno >= logging.WARNING:
            text = f"xymac: {record.levelname.lower()}: {text}"
        if text not in self._told:
            self._told.add(text)
            sys.stderr.write(plain(" ".join(text.split())) + "\n")


@contextmanager
def messages_shown():
    """Show messages from the ``xymac.*`` loggers: long operations, and warnings."""
    logger, handler = logging.getLogger(_NAME), _Handler()
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
