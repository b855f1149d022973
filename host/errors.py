"""Errors that are no bugs of ours: what a user asked for and cannot have."""

from contextlib import contextmanager

__all__ = ["InputError", "translate_refusals"]


class InputError(ValueError):
    """Input that cannot be used, or something that the computer lacks; one sentence for a user.

    The command line prints the sentence and exits with 2. Whatever else it meets, a plain
    ValueError included, is a bug.
    """


@contextmanager
def translate_refusals(what, *kinds):
    """Make an InputError that begins with ``what`` of an exception of ``kinds``.

    For calls alone that take the values of a user as they are and check them themselves. What is
    an InputError already stays as it is.
    """
    try:
        yield
    except InputError:
        raise
    except kinds as error:
        raise InputError(f"{what}: {str(error) or type(error).__name__}") from error
