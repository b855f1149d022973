# SPDX-License-Identifier: Apache-2.0
"""The command line ``xymac``: an interrupt at any time ends it with a single line."""

import sys

__all__ = ["main"]

INTERRUPTED = 130


def main(arguments=None):
    """Run the command line; returns the exit code.

    0 for success, 1 for a mismatch or a missed target, 2 for unusable input, 70 for a xymac bug,
    130 for an interrupt.
    """
    try:
        from .program import run  # Slow imports run where Ctrl-C is handled.

        return run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        sys.stderr.write("xymac: interrupted\n")
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
