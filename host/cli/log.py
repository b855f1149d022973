"""What the parts say while a command runs, told on the standard error."""

import logging
import sys
from contextlib import contextmanager

from host.files.text import plain

__all__ = ["messages_shown"]

_NAME = "xymac"  #: The loggers of all parts begin so.


class _Handler(logging.Handler):
    """Writes every message once. A progress bar moves out of the way of ``sys.stderr``."""

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
    """Show messages of the loggers ``xymac.*``: what takes a while, and warnings."""
    logger, handler = logging.getLogger(_NAME), _Handler()
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
