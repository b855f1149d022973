# SPDX-License-Identifier: Apache-2.0
"""Every source of the project begins with its licence line."""

from tests.support.licence import is_licensed
from tests.support.modules import PACKAGES, ROOT

KINDS = {".c", ".cpp", ".h", ".py", ".sv", ".v"}


def test_every_source_begins_with_its_licence():
    folders = (*PACKAGES, "xymac", "docs", "examples", "tests")
    sources = [ROOT / "setup.py", *(path for folder in folders
                                    for path in (ROOT / folder).rglob("*") if path.suffix in KINDS)]

    missing = [str(path.relative_to(ROOT)) for path in sources
               if not is_licensed("".join(path.read_text(encoding="utf-8").splitlines(True)[:2]))]

    assert {path.suffix for path in sources} == KINDS
    assert not missing, f"add '# SPDX-License-Identifier: Apache-2.0' to {', '.join(missing)}"
