# SPDX-License-Identifier: Apache-2.0
"""Where and when a run was made."""

import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path

__all__ = ["origin"]

_ROOT = Path(__file__).resolve().parents[2]


def origin():
    """Present commit, host and date, texts by name."""
    return {"commit": _commit(), "host": platform.node() or "unknown",
            "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")}


def _commit():
    """Short hash of the sources' commit, and whether files differ from it."""
    try:
        head, changes = (subprocess.run(
            ["git", "-C", str(_ROOT), *words], check=True, capture_output=True, text=True).stdout
            for words in (("rev-parse", "--short=12", "HEAD"), ("status", "--porcelain")))
    except (OSError, subprocess.CalledProcessError):
        return "unknown: the sources are no checkout of git"
    return head.strip() + (", with changed files" if changes.strip() else "")
