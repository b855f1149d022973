"""The line on a command in ``xymac --help``, read without loading what the command needs."""

import re

__all__ = ["summarise"]


def summarise(about):
    """The line on a command in the docstring of its module: ``does this`` of the first line
    ```` ``xymac NAME``: does this. ````"""
    line = about.strip().partition("\n")[0]
    return re.sub(r"``xymac [\w-]+``: ", "", line).removesuffix(".")
