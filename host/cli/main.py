# SPDX-License-Identifier: Apache-2.0
"""The command line ``xymac``: an interrupt at any time ends it with a single line.

A request to end, as from ``kill`` or a scheduler, is such an interrupt: all processes end that the
command has started.
"""

import signal
import sys
import threading

__all__ = ["main"]

INTERRUPTED = 130


def main(arguments=None):
    """Run the command line; returns the exit code.

    0 for success, 1 for a mismatch or a missed target, 2 for unusable input, 70 for a xymac bug,
    130 for an interrupt.
    """
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _interrupt)
    try:
        from .program import run  # Slow imports run where Ctrl-C is handled.

        return run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        sys.stderr.write("xymac: interrupted\n")
        return INTERRUPTED


def _interrupt(*_):
    """Interrupt the process; a job in a shell's background ignores interrupts."""
    if callable(signal.getsignal(signal.SIGINT)):
        signal.raise_signal(signal.SIGINT)
    else:
        raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
