# SPDX-License-Identifier: Apache-2.0
"""Words of program memory become the passes they were made of, and nothing else becomes one."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.random_passes import CONFIGS, random_pass
from tests.support.seed import random_of
from xymac.hdl.isa import fields_of, pack_words, unpack_words


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.name)
def test_passes_come_back(config):
    for key in range(150):
        pass_ = replace(random_pass(random_of(key), config), wait=bool(key % 2))
        words = pack_words(pass_)

        again = unpack_words(np.array(words, np.uint64))

        assert pack_words(again) == words
        back, fields = fields_of(again), fields_of(pass_)
        assert all(back[name] == fields[name]
                   for name in ("op", "table", "reduce", "clip", "bias_row", "shift", "outer",
                                "taps", "wait", "last", "fresh", "x_width", "scale", "z"))


def test_other_words_are_refused():
    words = pack_words(random_pass(random_of(1), CONFIGS[0]))

    with pytest.raises(ValueError, match="A pass has 16 words, not 15"):
        unpack_words(words[:-1])
    with pytest.raises(ValueError, match="The words do not encode a pass"):
        unpack_words([*words[:-1], words[-1] | 1 << 63])
