"""How a command that failed says so: a sentence about the input, or the report of a bug."""

import errno
import sys

from host.files.text import plain

__all__ = ["BAD_INPUT", "BUG", "has_interrupt", "refuse", "report_bug", "report_os_error"]

BAD_INPUT = 2
BUG       = 70  #: EX_SOFTWARE of sysexits.h.
_FULL     = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def refuse(prog, reason):
    """Print one sentence on what cannot be used; returns the exit code."""
    sys.stderr.write(f"{prog}: {plain(' '.join(str(reason).split()))}\n")
    return BAD_INPUT


def report_os_error(prog, error, arguments):
    """Tell an OSError that came up to the command line; returns the exit code.

    One with a path is about that file, and a full disk is not our fault; any other one is a bug.
    """
    reason = error.strerror or error
    if error.filename is not None:
        return refuse(prog, f"{error.filename}: {reason}")
    return refuse(prog, reason) if error.errno in _FULL else report_bug(prog, arguments)


def has_interrupt(error):
    """Whether ``error`` is what became of an interrupt: in C an import fails because of one."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__cause__ or error.__context__
    return False


def report_bug(prog, arguments):
    """Print the exception that is handled, and how to report it; returns the exit code."""
    import platform
    import shlex
    import traceback
    from importlib.metadata import version

    sys.stderr.write(plain(traceback.format_exc(), keep="\n"))
    sys.stderr.write(
        f"{prog}: This is a bug of xymac and not of your input. Please report it to the issue "
        f"tracker of the project, with all lines from \"Traceback\" on:\n"
        f"  xymac {version('xymac')}, Python {platform.python_version()}, {platform.system()}\n"
        f"  {shlex.join(['xymac', *arguments])}\n")
    return BUG
