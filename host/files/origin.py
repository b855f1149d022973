# SPDX-License-Identifier: Apache-2.0
"""Where a result comes from: the commit of a folder's sources, and this computer."""

import platform
import subprocess

__all__ = ["commit_of", "host_name"]


def commit_of(folder):
    """Short hash of a folder's commit, and whether files differ from it; a str, or None if it is
    no checkout of git.
    """
    try:
        head, changes = (subprocess.run(
            ["git", "-C", str(folder), *words], check=True, capture_output=True, text=True).stdout
            for words in (("rev-parse", "--short=12", "HEAD"), ("status", "--porcelain")))
    except (OSError, subprocess.CalledProcessError):
        return None
    return head.strip() + (", with changed files" if changes.strip() else "")


def host_name():
    """Name of this computer, a str."""
    return platform.node() or "unknown"
