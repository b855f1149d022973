# SPDX-License-Identifier: Apache-2.0
"""The refusal that lowerings share."""

from xymac.host.errors import InputError

__all__ = ["NoPassesError"]


class NoPassesError(InputError):
    """A layer, or a kind of layers, that only the golden model computes."""
