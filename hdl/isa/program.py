# SPDX-License-Identifier: Apache-2.0
"""Program: a sequence of passes."""

from .encoding import pack_words

__all__ = ["Program"]


class Program(tuple):
    """A sequence of passes with their encodings.

    ``words`` is a list with the ``PASS_WORDS`` 64-bit words of every pass. ValueError if a value
    does not fit its field, see ``pack``.
    """

    words: list[list[int]]

    def __new__(cls, passes):
        """Encode ``passes``; a ``Program`` is returned unchanged."""
        if isinstance(passes, cls):
            return passes
        program = super().__new__(cls, passes)
        program.words = [pack_words(pass_) for pass_ in program]
        return program
