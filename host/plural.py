# SPDX-License-Identifier: Apache-2.0
"""Counts with their nouns."""

__all__ = ["plural"]


def plural(number: int, noun: str) -> str:
    """``1 image`` or ``1,200 images``, for nouns with an s in the plural."""
    return f"{number:,} {noun}{'s' * (number != 1)}"
