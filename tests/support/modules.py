# SPDX-License-Identifier: Apache-2.0
"""The packages of the project, and one folder of links to them, as the installed package has it.

``python -m tests.support.modules`` makes the folder ``build/tree`` and prints it: tools that read
sources without importing them find ``xymac`` and its packages there.
"""

import sys
from pathlib import Path

__all__ = ["PACKAGES", "ROOT", "link_tree"]

ROOT     = Path(__file__).parents[2]
PACKAGES = ("hdl", "golden", "host", "sim", "boards")


def link_tree(folder=ROOT / "build/tree", packages=PACKAGES):
    """Make ``folder/xymac`` out of links to the sources; returns ``folder`` (Path)."""
    target = Path(folder) / "xymac"
    target.mkdir(parents=True, exist_ok=True)
    for source in (*(ROOT / "xymac").glob("*.py"), *(ROOT / name for name in packages)):
        link = target / source.name
        if link.is_symlink() and link.resolve() != source.resolve():
            link.unlink()  # left by a clone that was moved
        if not link.is_symlink():
            link.symlink_to(source)
    return target.parent


if __name__ == "__main__":
    sys.stdout.write(f"{link_tree()}\n")
