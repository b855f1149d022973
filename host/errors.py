# SPDX-License-Identifier: Apache-2.0
"""Errors in user input, as opposed to bugs."""

from contextlib import contextmanager
from difflib import get_close_matches

__all__ = ["InputError", "check_type", "suggest", "translate_refusals"]


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


def suggest(name, known):
    """Rest of a sentence for an unknown ``name``, a str: the closest of the ``known`` names.

    Empty if none is close. Upper and lower case count as close.
    """
    lower = {each.lower(): each for each in known}
    close = get_close_matches(str(name).lower(), lower, 1)
    return f"; did you mean {lower[close[0]]}?" if close else ""


def check_type(name, value, *kinds, hint=""):
    """Raise InputError, a sentence that names the argument, unless ``value`` is of a class in
    ``kinds``; ``hint`` ends the sentence.
    """
    if not isinstance(value, kinds):
        wanted = " or ".join(kind.__name__ for kind in kinds)
        raise InputError(f"{name} must be a {wanted}, not {type(value).__name__}{hint}")
