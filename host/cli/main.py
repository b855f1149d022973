# SPDX-License-Identifier: Apache-2.0
"""The command line ``xymac``: an interrupt at any time ends it with a single line."""

import os
import sys

__all__ = ["main"]

INTERRUPTED = 130


def main(arguments=None):
    """Run the command line; returns the exit code.

    0 for success, 1 for a mismatch or a missed target, 2 for unusable input, 70 for a xymac bug,
    130 for an interrupt.
    """
    _open_streams()
    try:
        from .program import run  # Slow imports run where Ctrl-C is handled.

        return run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        sys.stderr.write("xymac: interrupted\n")
        return INTERRUPTED


def _open_streams():
    """Replace standard streams that the shell closed, as ``>&-`` does, by the null device: else the
    next opened file would take their place.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))


if __name__ == "__main__":
    sys.exit(main())
