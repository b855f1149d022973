# SPDX-License-Identifier: Apache-2.0
"""What is taken of every operator of TensorFlow Lite, as ``xymac run --operators`` prints it."""

from .command import printed_table

__all__ = ["operators"]


def operators():
    """A row an operator: what golden computes, and what base runs of it."""
    return printed_table("run", "--operators", "--size", "base")
