# SPDX-License-Identifier: Apache-2.0
"""The seed of all random tests, of ``pytest --seed N``: 0 gives the same stimuli every time."""

import hypothesis
import numpy as np

__all__ = ["SEED", "examples", "random_of"]

_SHARE = 8   #: Of all examples one of so many is tried,
_LEAST = 10  #: but so many at least.


class Seed:
    """The seed of this session, and whether tests are ``thorough``, of ``pytest --thorough``; the
    options set both before any test is collected."""

    def __init__(self):
        self.value    = 0
        self.thorough = False

    @property
    def is_default(self):
        """Whether stimuli, those of hypothesis included, are those of every day."""
        return self.value == 0

    def use(self, value):
        """Take ``value``, an int from 0 on, for what is drawn from now on."""
        self.value = value
        hypothesis.settings.register_profile("seeded", database=None, derandomize=self.is_default)
        hypothesis.settings.load_profile("seeded")


SEED = Seed()


def examples(count):
    """How many examples hypothesis tries where a thorough test has ``count``."""
    return count if SEED.thorough else min(count, max(count // _SHARE, _LEAST))


def random_of(key):
    """A numpy Generator of its own for a ``key`` (int, or ints), new with every seed.

    A Generator stays what it is.
    """
    if SEED.is_default or isinstance(key, np.random.Generator):
        return np.random.default_rng(key)
    return np.random.default_rng([SEED.value, *np.atleast_1d(key).tolist()])
