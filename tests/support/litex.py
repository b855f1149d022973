# SPDX-License-Identifier: Apache-2.0
"""What a test of a LiteX system needs: the extra ``soc``."""

import pytest

from xymac.boards.litex.system import check_litex
from xymac.host.errors import InputError

__all__ = ["needs_litex"]


def _missing():
    """The sentence that names a missing package, or an empty string."""
    try:
        check_litex()
    except InputError as error:
        return str(error)
    return ""


#: Mark that skips a test without the extra; the reason names the missing package.
needs_litex = pytest.mark.skipif(bool(_missing()), reason=_missing())
