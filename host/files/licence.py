# SPDX-License-Identifier: Apache-2.0
"""The licence line of exported files."""

__all__ = ["LICENCE"]

#: First line of an exported file, behind the sign of a comment.
LICENCE = "SPDX-License-Identifier: Apache-2.0"
