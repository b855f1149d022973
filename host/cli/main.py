"""The command line ``xymac``: an interrupt ends it with one line, whenever it comes."""

import sys

__all__ = ["main"]

INTERRUPTED = 130


def main(arguments=None):
    """Run the command line; returns the exit code.

    0 for success, 1 for a mismatch or a target missed, 2 for input that cannot be used, 70 for a
    bug of ours, 130 for an interrupt.
    """
    try:
        from .program import run  # All that takes time to load is loaded where Ctrl-C is heard.

        return run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        sys.stderr.write("xymac: interrupted\n")
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
