# SPDX-License-Identifier: Apache-2.0
"""Errors in user input, as opposed to bugs."""

from contextlib import contextmanager

__all__ = ["InputError", "translate_refusals"]


class InputError(ValueError):
    """Unusable input, or a missing requirement of the computer; a sentence for a user.

    The command line prints the sentence and exits with 2. Any other exception, a plain ValueError
    included, is a bug.
    """


@contextmanager
def translate_refusals(subject, *kinds):
    """Convert ``kinds`` exceptions to an InputError whose sentence begins with ``subject``.

    Only for calls which receive unchecked user values and check them. An InputError passes
    unchanged.
    """
    try:
        yield
    except InputError:
        raise
    except kinds as error:
        raise InputError(f"{subject}: {str(error) or type(error).__name__}") from error
