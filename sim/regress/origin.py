# SPDX-License-Identifier: Apache-2.0
"""Where and when a run was made."""

from datetime import UTC, datetime
from pathlib import Path

from xymac.host.files.origin import commit_of, host_name

__all__ = ["origin"]

_ROOT = Path(__file__).resolve().parents[2]


def origin():
    """Present commit, host and date, texts by name."""
    return {"commit": commit_of(_ROOT) or "unknown: the sources are no checkout of git",
            "host": host_name(), "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")}
