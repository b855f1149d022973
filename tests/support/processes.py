# SPDX-License-Identifier: Apache-2.0
"""What tests start processes with."""

import signal

__all__ = ["hear_interrupts"]


def hear_interrupts():
    """Let a new process end by SIGINT, which a shell makes its background jobs ignore.

    For ``preexec_fn`` of ``subprocess``.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
