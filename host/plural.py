# SPDX-License-Identifier: Apache-2.0
"""Counts with their nouns."""

__all__ = ["plural"]


def plural(number: int, noun: str, many: str = "") -> str:
    """``1 image`` or ``1,200 images``; ``many`` is a plural that has not just an s more."""
    return f"{number:,} {noun if number == 1 else many or noun + 's'}"
