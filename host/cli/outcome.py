# SPDX-License-Identifier: Apache-2.0
"""Messages for a failed command: a sentence about the input, or a bug report."""

import errno
import sys

from xymac.host.files.text import plain

__all__ = ["BAD_INPUT", "BUG", "has_interrupt", "refuse", "report_bug", "report_os_error"]

BAD_INPUT = 2
BUG       = 70  #: EX_SOFTWARE in sysexits.h.
_FULL     = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def refuse(prog, reason):
    """Print a sentence about unusable input; returns the exit code."""
    sys.stderr.write(f"{prog}: {plain(' '.join(str(reason).split()))}\n")
    return BAD_INPUT


def report_os_error(prog, error, arguments):
    """Report an OSError from the command line; returns the exit code.

    An error with a path concerns that file, and a full disk is not a bug; any other error is a bug.
    """
    reason = error.strerror or error
    if error.filename is not None:
        return refuse(prog, f"{error.filename}: {reason}")
    return refuse(prog, reason) if error.errno in _FULL else report_bug(prog, arguments)


def has_interrupt(error):
    """Whether an interrupt caused ``error``: an import in C code fails because of an interrupt."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__cause__ or error.__context__
    return False


def report_bug(prog, arguments):
    """Print the current exception and how to report it; returns the exit code."""
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
