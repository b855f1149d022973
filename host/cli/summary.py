# SPDX-License-Identifier: Apache-2.0
"""A command's summary line in ``xymac --help``, read without importing the command."""

import re

__all__ = ["summarise"]


def summarise(about):
    """A command's summary from its module docstring: ``does this`` in the first line

    ```` ``xymac NAME``: does this. ````
    """
    line = about.strip().partition("\n")[0]
    return re.sub(r"``xymac [\w-]+``: ", "", line).removesuffix(".")
