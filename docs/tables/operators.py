# SPDX-License-Identifier: Apache-2.0
"""Supported TensorFlow Lite operators, as ``xymac run --operators`` prints them."""

from .command import printed_table

__all__ = ["operators"]


def operators():
    """A row for each operator: support in golden and on base."""
    return printed_table("run", "--operators", "--size", "base")
