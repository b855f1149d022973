# SPDX-License-Identifier: Apache-2.0
"""The licence line of a file."""

from xymac.host.files.licence import LICENCE

__all__ = ["is_licensed"]


def is_licensed(text):
    """Whether one of the first two lines of a file, and no other line, names the licence."""
    return LICENCE in "".join(text.splitlines()[:2]) and text.count("SPDX-") == 1
