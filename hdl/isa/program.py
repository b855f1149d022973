"""Passes that run one after another."""

from .encoding import pack_words

__all__ = ["Program"]


class Program(tuple):
    """Passes as program memory holds them, each encoded once.

    ``words`` has the ``PASS_WORDS`` words of 64 bits of every pass, a list of lists. ValueError if
    something does not fit its field, see ``pack``.
    """

    def __new__(cls, passes):
        """Encode ``passes``; a Program is taken as it is."""
        if isinstance(passes, cls):
            return passes
        program = super().__new__(cls, passes)
        program.words = [pack_words(pass_) for pass_ in program]
        return program
