# SPDX-License-Identifier: Apache-2.0
"""What the functions of every version of MLI have: a version must bring what differs."""

import pytest

from xymac.golden.api.library import Library
from xymac.golden.api.mli1.functions import Mli

PARTS = ("grammar", "conditions", "numbers", "bind", "apply")


@pytest.mark.parametrize("missing", PARTS)
def test_a_version_without_one_of_its_parts_is_refused(missing):
    parts = {part: getattr(Mli, part) for part in PARTS if part != missing}
    version = type("Version", (Library,), parts)

    with pytest.raises(TypeError, match=rf"abstract class Version .*\b{missing}\b"):
        version(evaluate=None, mode=None)


def test_a_version_with_all_of_its_parts_is_taken():
    version = type("Version", (Library,), {part: getattr(Mli, part) for part in PARTS})

    assert version(evaluate=max, mode=0).evaluate is max
