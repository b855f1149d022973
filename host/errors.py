# SPDX-License-Identifier: Apache-2.0
"""Errors in user input, as opposed to bugs."""

from contextlib import contextmanager

__all__ = ["InputError", "translate_refusals"]


class InputError(ValueError):
    """Unusable input, or a missing requirement of the computer; one sentence for a user.

    The command line prints the sentence and exits with 2. Any other exception, a plain ValueError
    included, is a bug.
    """


@contextmanager
def translate_refusals(what, *kinds):
    """Convert exceptions of ``kinds`` to an InputError that begins with ``what``.

    Only for calls that receive user values unchecked and check them. An InputError passes
    unchanged.
    """
    try:
        yield
    except InputError:
        raise
    except kinds as error:
        raise InputError(f"{what}: {str(error) or type(error).__name__}") from error
