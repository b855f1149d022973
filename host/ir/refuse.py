# SPDX-License-Identifier: Apache-2.0
"""Common error for layers without passes."""

from xymac.host.errors import InputError

__all__ = ["NoPassesError"]


class NoPassesError(InputError):
    """A layer, or layer class, computable only by the golden model."""
